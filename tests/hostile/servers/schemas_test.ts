/** Schemas of foreign servers. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { toStrict } from "../../../src/integrations/agents/strict.ts";

test("definitions that refer to each other many times over are looked at once each", () => {
  const levels = 8;
  const width = 80;
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `d${level}`,
      level === levels - 1
        ? { type: "string" }
        : { anyOf: Array.from({ length: width }, () => ({ $ref: `#/$defs/d${level + 1}` })) },
    ]),
  );
  const schema = { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, additionalProperties: false, $defs };
  const strict = toStrict(schema);
  ok(strict === undefined || typeof strict === "object");
});

test("what is nested deeper than the stack is not said strictly", () => {
  let deep: Record<string, unknown> = { type: "string" };
  for (let level = 0; level < 20_000; level++) deep = { anyOf: [deep] };
  deepStrictEqual(toStrict({ type: "object", properties: { a: deep }, additionalProperties: false }), undefined);
});
