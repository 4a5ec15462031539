// Writes a tool's input in valibot, which all contenders but one take (see contenders/mcp_sdk.mjs).
import * as v from "valibot";

const amount = v.pipe(v.number(), v.minValue(0));

export const valibotKit = {
  object: v.object,
  array: v.array,
  choice: v.picklist,
  string: v.string,
  boolean: v.boolean,
  number: v.number,
  amount: () => amount,
  count: () => v.pipe(amount, v.integer()),
};
