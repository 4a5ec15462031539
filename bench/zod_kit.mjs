// Writes a tool's input in zod, for the contenders that take nothing else.
import * as z from "zod";

export const zodKit = {
  object: z.object,
  array: z.array,
  choice: z.enum,
  string: z.string,
  boolean: z.boolean,
  number: z.number,
  amount: () => z.number().min(0),
  count: () => z.number().int().min(0),
};
