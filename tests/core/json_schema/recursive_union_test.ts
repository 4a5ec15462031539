/** Recursive unions: validation ends, whatever the depth of the value, and large values of ordinary depth pass. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { compileCheck } from "../../../src/core/json_schema/check.ts";

const operator = (op: string) => ({
  type: "object",
  properties: { op: { const: op }, args: { type: "array", items: { $ref: "#/$defs/node" } } },
  required: ["op", "args"],
});

const leaf = { type: "object", properties: { op: { const: "eq" } }, required: ["op"] };

const check = compileCheck({
  type: "object",
  properties: { filters: { type: "array", items: { $ref: "#/$defs/node" } } },
  $defs: { node: { anyOf: [...["and", "or", "not"].map(operator), leaf] } },
});

function nested(depth: number): unknown {
  let value: unknown = { op: "eq" };
  for (let at = 0; at < depth; at++) value = { op: "not", args: [value] };
  return value;
}

test("a value nested too deeply for a recursive union is refused, and the next value is checked as usual", () => {
  const [problem, ...others] = check({ filters: [nested(100)] });
  deepStrictEqual([problem?.path, problem?.isMissing, others], [[], false, []]);
  match(String(problem?.expected), /less nesting/);
  deepStrictEqual(check({ filters: [nested(2)] }), []);
});

test("values of ordinary depth pass and fail as before, also many", () => {
  deepStrictEqual(check({ filters: [nested(6)] }), []);
  deepStrictEqual(check({ filters: Array(5_000).fill(nested(1)) }), []);
  strictEqual(check({ filters: [nested(1), { op: "else" }] }).length > 0, true);
});
