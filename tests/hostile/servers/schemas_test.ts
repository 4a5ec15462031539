/** Schemas of foreign servers. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { OPENAI_STRICT } from "../../../src/integrations/agents/dialects.ts";
import { reduce } from "../../../src/integrations/agents/reduce.ts";

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
  ok("schema" in reduce(schema, OPENAI_STRICT));
});

test("a schema that is nested deeper than the stack is not made strict", () => {
  let deep: Record<string, unknown> = { type: "string" };
  for (let level = 0; level < 20_000; level++) deep = { anyOf: [deep] };
  const reduced = reduce({ type: "object", properties: { a: deep }, additionalProperties: false }, OPENAI_STRICT);
  deepStrictEqual(reduced, { pointer: "", reason: "it is nested too deeply" });
});
