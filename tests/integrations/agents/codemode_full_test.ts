/** Cloudflare's code mode with the tools of a server. Its package imports `cloudflare:workers`, which Bun replaces here. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { cloudflareTools } from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { runtime } from "../../runtime/runtime.ts";
import { loadModule, skip } from "./frameworks.ts";

interface Provider {
  readonly name: string;
  readonly fns: Readonly<Record<string, (input: unknown) => Promise<unknown>>>;
}

interface CodeTool {
  readonly description: string;
  execute(input: { readonly code: string }): Promise<{ readonly result: unknown }>;
}

const add = defineTool("math.add").describe("Add two numbers")
  .input(v.object({ a: v.number(), b: v.number() })).output(v.object({ sum: v.number() }))
  .handle(({ a, b }) => ({ sum: a + b }));
const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => "dropped");

/** Runs the model's code without a sandbox: a test writes it. */
const executor = {
  async execute(code: string, providers: readonly Provider[]) {
    const names = providers.map(({ name }) => name);
    try {
      const program = new Function(...names, `return (${code})()`) as (...namespaces: unknown[]) => Promise<unknown>;
      return { result: await program(...providers.map(({ fns }) => fns)) };
    } catch (thrown) {
      return { result: undefined, error: String(thrown) };
    }
  },
};

test("a program of a model calls tools, with their types; destructive ones are left out", {
  skip: skip || (runtime !== "bun" && "the package imports cloudflare:workers"),
}, async () => {
  Bun.plugin({
    name: "workers",
    setup: (build) =>
      void build.module("cloudflare:workers", () => ({ loader: "object", exports: { WorkerEntrypoint: class {} } })),
  });
  const { createCodeTool } = await loadModule("@cloudflare/codemode/dist/ai.js") as {
    readonly createCodeTool: (options: object) => CodeTool;
  };
  const tools = await cloudflareTools(createServer({ tools: [add, drop] }));
  const code = createCodeTool({ tools, executor });
  match(code.description, /math_add: \(input: MathAddInput\) => Promise<MathAddOutput>/);
  match(code.description, /type MathAddOutput = \{\s*sum: number;\s*\}/);
  doesNotMatch(code.description, /drop/);
  const { result } = await code.execute({ code: "async () => await codemode.math_add({ a: 1, b: 2 })" });
  deepStrictEqual(result, { sum: 3 });
  const failing = await code.execute({ code: "async () => await codemode.math_add({ a: 1 })" }).catch(String);
  match(JSON.stringify(failing), /invalid_input/);
  strictEqual(tools["drop"]?.needsApproval, true);
});
