/** Tools that programs of a model call, which the vendor runs. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, Failure } from "../../../mod.ts";
import { anthropicTools, openaiResponsesTools, openaiTools } from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { hardTools } from "./hard_tools.ts";

const rows = defineTool("rows").describe("List rows").input(v.object({ table: v.string() })).output(v.array(v.string()))
  .handle(({ table }) => {
    if (table === "none") throw new Failure("missing", "There is no such table");
    return [table];
  });
const note = defineTool("note").describe("Note").input(v.object({})).handle(() => "noted");
const server = createServer({ tools: [rows, note] });
const callers = ({ name }: { readonly name: string }) => name === "rows" ? "both" as const : "program" as const;

test("Anthropic: allowed callers; such tools are not strict", async () => {
  const { tools } = await anthropicTools(server, { callers, strict: true });
  deepStrictEqual(tools.map(({ name, strict, allowed_callers: allowed }) => [name, strict, allowed]), [
    ["rows", undefined, ["direct", "code_execution_20260120"]],
    ["note", undefined, ["code_execution_20260120"]],
  ]);
  const plain = await anthropicTools(server, { strict: true });
  ok(plain.tools.every((tool) => tool.strict && !("allowed_callers" in tool)));
});

test("Anthropic: a definition that contains itself stays with the model; so does the search", async () => {
  const { tools } = await anthropicTools(hardTools, { callers: () => "both", defer: "all", alwaysLoad: ["crm.tree"] });
  const allowed = new Map(tools.map((tool) => [tool.name, tool.allowed_callers]));
  deepStrictEqual([allowed.get("crm_tree"), allowed.get("search_tools")], [undefined, undefined]);
  strictEqual(allowed.get("reports_plan")?.length, 2);
});

test("shared definitions are visited once", async () => {
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { type: "object", properties: level === 39 ? {} : { a: next, b: next } }];
  }));
  const inputSchema = { type: "object", properties: { root: { $ref: "#/$defs/d0" } }, $defs };
  const source = { list: () => [{ name: "it", inputSchema }], call: () => ({ kind: "answer" as const, value: null }) };
  const { tools: [tool] } = await anthropicTools(source, { callers: () => "program" });
  deepStrictEqual(tool?.allowed_callers, ["code_execution_20260120"]);
});

test("OpenAI: allowed callers, and the output schema; all answers are then JSON", async () => {
  const { tools, run } = await openaiResponsesTools(server, { callers });
  const [first, second] = tools;
  ok(first?.type === "function" && second?.type === "function");
  deepStrictEqual(first.allowed_callers, ["direct", "programmatic"]);
  deepStrictEqual(first.output_schema?.["type"], "array");
  deepStrictEqual([second.allowed_callers, second.output_schema], [["programmatic"], undefined]);
  const outputOf = async (name: string, args: object) => {
    const caller = { type: "program", caller_id: "program_1" };
    const item = { type: "function_call", call_id: "1", name, arguments: JSON.stringify(args), caller };
    const [result] = await run([item as never]);
    ok(result?.type === "function_call_output");
    deepStrictEqual(result.caller, caller);
    return String(result.output);
  };
  strictEqual(await outputOf("rows", { table: "users" }), '["users"]');
  match(JSON.parse(await outputOf("rows", { table: "none" })).error, /missing.*There is no such table/);
  strictEqual(await outputOf("note", {}), "noted");
});

test("the default is the model; Chat Completions have no other callers", async () => {
  const { tools } = await openaiResponsesTools(server);
  ok(tools.every((tool) => !("allowed_callers" in tool) && !("output_schema" in tool)));
  await rejects(openaiTools(server, { callers } as never), /there is no option "callers"/);
});
