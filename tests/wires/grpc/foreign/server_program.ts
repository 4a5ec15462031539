/**
 * The server that foreign clients call: gRPC on a separate port, and with a higher limit on the shared port.
 *
 * Prints its addresses as one line of JSON.
 */
import { Buffer } from "node:buffer";
import * as v from "../../../../src/entries/schema.ts";
import { createServer, defineTool, mcpLite, ToolError } from "../../../../mod.ts";
import { serve } from "../../../../src/entries/serve.ts";
import { grpc } from "../../../../src/entries/grpc.ts";
import { definePrompt } from "../../../../src/entries/mcp.ts";

const sleep = (delayMs: number) => new Promise<void>((resolve) => void setTimeout(resolve, delayMs));

/** End of each handler, by the id that its caller sent. */
class Meetings<Value> {
  readonly #known = new Map<string, PromiseWithResolvers<Value>>();

  at(name: string): PromiseWithResolvers<Value> {
    const known = this.#known.get(name) ?? Promise.withResolvers<Value>();
    this.#known.set(name, known);
    return known;
  }
}

const aborts = new Meetings<string>();
const crowds = new Meetings<void>();
const arrivals = new Map<string, number>();
const named = v.object({ id: v.string() });

/** Duration of `slow` in milliseconds: longer than its budget. */
const SLOW_MS = 150;

const tools = [
  defineTool("add").type("math").describe("Add two numbers")
    .input(v.object({ a: v.number(), b: v.number() })).output(v.object({ sum: v.number() }))
    .handle(({ a, b }) => ({ sum: a + b })),
  defineTool("echo").describe("Give back a text").input(v.object({ text: v.string() })).handle(({ text }) => text),
  defineTool("mirror").describe("Give back everything").handle((input) => input),
  defineTool("measure").describe("Tell how long a text is").input(v.object({ text: v.string() }))
    .handle(({ text }) => text.length),
  defineTool("count").describe("Stream numbers, return their sum").input(v.object({ to: v.number() }))
    .handle(async function* ({ to }) {
      for (let at = 1; at <= to; at++) yield at;
      return to * (to + 1) / 2;
    }),
  defineTool("slow").describe("Take longer than the budget").promise({ budgetMs: 20 })
    .input(v.object({ n: v.number() })).handle(async ({ n }, ctx) => {
      ctx.progress(1, 2, "half");
      await sleep(SLOW_MS);
      return n * 2;
    }),
  defineTool("locked").describe("Fail as declared").errors({ locked: v.object({ by: v.string() }) })
    .handle((_, ctx): string => {
      throw ctx.fail("locked", "It is locked", { by: "batch" });
    }),
  defineTool("refuse").describe("Refuse, in words that a header cannot hold").handle(() => {
    throw new ToolError("conflict", "Déjà vu: 100 % „猫“\nagain");
  }),
  defineTool("watch").describe("Say a word, then wait for the caller to leave").input(named)
    .handle(async function* ({ id }, ctx) {
      ctx.signal.addEventListener("abort", () => aborts.at(id).resolve((ctx.signal.reason as ToolError).code));
      yield "watching";
      await aborts.at(id).promise;
    }),
  defineTool("aborted").describe("Wait until the handler of that name is aborted, and say why").input(named)
    .handle(({ id }) => aborts.at(id).promise),
  defineTool("meet").describe("Wait until so many have come").input(v.object({ id: v.string(), crowd: v.number() }))
    .handle(async function* ({ id, crowd }) {
      const here = (arrivals.get(id) ?? 0) + 1;
      arrivals.set(id, here);
      yield "waiting";
      if (here === crowd) crowds.at(id).resolve();
      await crowds.at(id).promise;
      return here;
    }),
  defineTool("metadata").describe("Say what came beside the arguments").handle((_, { metadata }) => ({
    text: metadata.get("x-text"),
    bytes: Buffer.from(metadata.get("x-bytes-bin") ?? "", "base64").toString("hex"),
    encoding: metadata.get("grpc-encoding"),
    timeout: metadata.get("grpc-timeout"),
  })),
] as const;

const shared = {
  name: "foreign",
  version: "1.2.3",
  tools,
  prompts: [definePrompt("greet").describe("Greet someone").handle(() => "Hello")],
  wires: [mcpLite(), grpc()],
  keys: "k1:a secret that only these tests know",
} as const;
const [usual, roomy] = await Promise.all([
  serve(createServer(shared), { port: 0, grpc: { port: 0 } }),
  serve(createServer({ ...shared, limits: { bodyBytes: 33_554_432, answerChars: 33_554_432 } }), {
    port: 0,
    grpc: true,
  }),
]);
console.log(JSON.stringify({ grpc: usual.grpcUrl, roomy: roomy.grpcUrl }));
