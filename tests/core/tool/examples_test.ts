/** Examples of tools: checked at the end of the definition, listed in the schemas. */
import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, type ToolExample } from "../../../mod.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { testClient } from "../../../src/entries/testing.ts";

const Trip = v.object({ from: v.string(), stops: v.optional(v.array(v.object({ at: v.string() })), []) });

function refused(define: () => unknown, problem: string): void {
  throws(define, { name: "TypeError", message: `Cannot use example ${problem}` });
}

test("a wrong input is refused with index, path and reason, wherever the step is", () => {
  const wrong = { input: { from: "a", stops: [{ at: "b" }, { at: 5 }] } } as unknown as ToolExample<
    { from: string },
    unknown
  >;
  const problem = '1 of tool "t": input.stops[1].at: Invalid type: Expected string but received 5';
  const base = defineTool("t").describe("T");
  refused(() => base.input(Trip).examples([{ input: { from: "a" } }, wrong]).handle(() => 1), problem);
  refused(() => base.examples([{ input: {} }, wrong]).input(v.partial(Trip)).handle(() => 1), problem);
  refused(
    () => base.input(Trip).examples([{ input: { from: "a" } }, wrong]).external({ start: () => 1, check: () => 1 }),
    problem,
  );
});

test("a wrong output is refused with its path", () => {
  const base = defineTool("t").describe("T").output(v.object({ sum: v.number() }));
  const examples = [{ input: {}, output: { sum: "3" } }] as unknown as [];
  refused(
    () => base.examples(examples).handle(() => ({ sum: 1 })),
    '0 of tool "t": output.sum: Invalid type: Expected number but received "3"',
  );
  base.examples([{ input: {} }]).handle(() => ({ sum: 1 }));
});

test("an example without an object of arguments is refused, with and without a schema", () => {
  const problem = '0 of tool "t": its input must be an object, the arguments of a call';
  for (const example of [undefined, null, 5, {}, { a: 1 }, { input: 5 }, { input: [] }, { input: null }]) {
    const examples = [example] as unknown as [];
    refused(() => defineTool("t").describe("T").examples(examples).handle(() => 1), problem);
    refused(() => defineTool("t").describe("T").input(v.object({})).examples(examples).handle(() => 1), problem);
  }
});

test("a schema that validates asynchronously is refused: its examples cannot be checked", () => {
  const later = { "~standard": { ...v.object({})["~standard"], validate: () => Promise.reject(new Error("late")) } };
  const schema = {
    ...later,
    "~standard": { ...later["~standard"], jsonSchema: { input: () => ({ type: "object" }) } },
  };
  refused(
    () => defineTool("t").describe("T").input(schema as never).examples([{ input: {} as never }]).handle(() => 1),
    '0 of tool "t": its input cannot be checked, because the schema is asynchronous',
  );
});

test("JSON Schema checks examples, too", () => {
  const Input = jsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "number" } }, required: ["n"] });
  throws(
    () => defineTool("t").describe("T").input(Input).examples([{ input: {} as { n: number } }]).handle(() => 1),
    /^TypeError: Cannot use example 0 of tool "t": input/,
  );
});

test("examples are listed in wire form, and calls are unchanged", async () => {
  const tool = defineTool("t").describe("T")
    .examples([{ input: { from: "replaced" } }])
    .input(v.object({ from: v.pipe(v.string(), v.transform(Number)) }))
    .output(v.nullable(v.array(v.number())))
    .examples([{ input: { from: "1" }, output: [1] }, { input: { from: "2" } }, { input: { from: "3" }, output: null }])
    .handle(({ from }) => [from]);
  const server = createServer({ tools: [tool] });
  const [listed] = server.tools;
  deepStrictEqual(listed?.inputSchema["examples"], [{ from: "1" }, { from: "2" }, { from: "3" }]);
  deepStrictEqual(listed?.outputSchema?.["examples"], [[1], null]);
  deepStrictEqual(await testClient(server).t({ from: "7" }), [7]);
});

test("outputs without a declared output are not listed, and a tool without examples is listed as before", () => {
  const tools = [
    defineTool("bare").describe("B").examples([{ input: { any: 1 }, output: 5 }]).handle(() => 5),
    defineTool("without").describe("W").input(Trip).handle(() => 5),
  ] as const;
  const [bare, without] = createServer({ tools }).tools;
  deepStrictEqual(bare?.inputSchema, { type: "object", examples: [{ any: 1 }] });
  ok(bare.outputSchema === undefined && !("examples" in (without?.inputSchema ?? {})));
});
