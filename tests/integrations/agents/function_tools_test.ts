/** Functions for loops that have no adapter. */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { functionTools } from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";

const PNG = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const server = createServer({
  tools: [
    defineTool("math.add").describe("Add").input(v.object({ a: v.number(), b: v.optional(v.number(), 1) }))
      .handle(({ a, b }) => a + b),
    defineTool("draw").describe("Draw").handle(() => [{ type: "text", text: "A chart" }, PNG]),
    defineTool("show").describe("Show").output(v.object({ n: v.number() }))
      .render(({ n }) => [{ type: "text", text: `${n} points` }, PNG]).handle(() => ({ n: 3 })),
    defineTool("drop").describe("Drop").annotate({ destructiveHint: true }).handle(() => "dropped"),
    defineTool("wait").describe("Wait").handle(async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }),
  ],
});

async function call(name: string, args: unknown, options: object = {}, signal?: AbortSignal) {
  const tool = (await functionTools(server, options)).find((one) => one.name === name);
  return await tool?.execute(args, { signal });
}

test("definitions have a name, a description and a schema of an object", async () => {
  const [add] = await functionTools(server);
  deepStrictEqual([add?.name, add?.tool, add?.description], ["math_add", "math.add", "Add"]);
  strictEqual(add?.parameters.type, "object");
});

test("an answer is text, or parts if it has files", async () => {
  strictEqual(await call("math_add", { a: 1, b: null }), "2");
  const file = { type: "file", data: PNG.data, mimeType: "image/png", name: undefined };
  deepStrictEqual(await call("draw", {}), [{ type: "text", text: "A chart" }, file]);
  deepStrictEqual(await call("show", {}), [{ type: "text", text: "3 points" }, file]);
  strictEqual(await call("draw", {}, { media: [] }), "A chart\n[image/png, 8 bytes]");
});

test("errors are explained once", async () => {
  const text = String(await call("math_add", { a: "one" }));
  match(text, /^The call failed \(invalid_input\):\n- a: .*"one"\nMend the arguments and call again\.$/);
  match(String(await call("math_add", [])), /not a JSON object/);
});

test("a destructive tool asks `approve`", async () => {
  match(String(await call("drop", {})), /approve: \(call\) => boolean/);
  strictEqual(await call("drop", {}, { approve: () => true }), "dropped");
  strictEqual(await call("drop", {}, { approve: "never" }), "dropped");
});

test("an aborted call rejects with the reason", async () => {
  const abort = new AbortController();
  const waiting = call("wait", {}, {}, abort.signal);
  abort.abort(new Error("enough"));
  await rejects(waiting, /enough/);
});
