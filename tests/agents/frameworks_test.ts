/**
 * The real packages: each framework's loop with each kind of tool, over every wire. Models are scripted; requests that break the
 * published rules are refused by what stands in for the hosted ones.
 */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient } from "../../mod.ts";
import { type AgentSource, openaiTools } from "../../src/agents/mod.ts";
import { runtime } from "../runtime/runtime.ts";
import { WIRES } from "../wires/matrix.ts";
import { createAgentFixture } from "./fixture.ts";
import { loadAgent, loadModule, type RunAgent, type Script, skip } from "./frameworks.ts";
import { schemaOf, STRICT_CASES } from "./strict_cases.ts";

const AGENTS = [
  ["OpenAI, Chat Completions", "openai.ts", "runOpenAi"],
  ["OpenAI, Responses", "openai_responses.ts", "runOpenAiResponses"],
  ["Anthropic, Messages", "anthropic.ts", "runAnthropic"],
  ["AI SDK", "ai_sdk.ts", "runAiSdk"],
  ["LangChain", "langchain.ts", "runLangChain"],
] as const;

/** A call that answers; two at once, one streamed and one promised; one that fails, one that asks, one refused; alternatives. */
const SCRIPT: Script = [
  [{ name: "math_add", args: { a: 1, b: 2 } }],
  [{ name: "tell_story", args: { about: "an agent" } }, { name: "bake_cake", args: { layers: 2 } }],
  [{ name: "open_door", args: {} }],
  [{ name: "delete_record", args: { id: "7" } }],
  [{ name: "get_rate", args: {} }],
  [{ name: "draw", args: { input: { shape: "square", side: 2 } } }],
];

async function check(run: RunAgent, source: AgentSource): Promise<void> {
  const progress: number[] = [];
  const pieces: unknown[] = [];
  const told = (await run(source, SCRIPT, {
    onProgress: ({ done }) => progress.push(done),
    onPartial: (piece) => pieces.push(piece),
  })).split("\n");
  deepStrictEqual(told.slice(0, 3), ['{"sum":3}', "Once upon a time there was an agent.", "a cake of 2 layers"]);
  deepStrictEqual(told.slice(3, 5), ["The tool says no (locked): The door is locked", 'Data: {"by":"Ada"}']);
  const rest = told.slice(6);
  match(rest[0] ?? "", /elicitation/);
  match(rest[1] ?? "", /confirm: Delete record 7\?/);
  match(rest[3] ?? "", /rate_limited.*Slow down/);
  strictEqual(rest.at(-1), "square 2");
  deepStrictEqual(pieces, ["Once upon a time ", "there was an agent."]);
  ok(progress.includes(2), `progress: ${progress}`);
}

for (const [name, file, exported] of AGENTS) {
  describe(name, { skip }, () => {
    const load = () => loadAgent(file, exported);

    test("a server of this process", async () => {
      const { server } = createAgentFixture();
      await check(await load(), server);
      await server.close();
    });

    for (const { name: wire, skip: unfit, open } of WIRES) {
      test(wire, { skip: unfit ?? false }, async () => {
        const { server } = createAgentFixture();
        const { transport, close } = await open(server);
        try {
          await check(await load(), createClient(transport));
        } finally {
          await close();
          await server.close();
        }
      });
    }

    test("a client that answers what tools ask", async () => {
      const { server } = createAgentFixture();
      const { transport, close } = await WIRES[0]!.open(server);
      const client = createClient(transport, { onElicit: () => ({ action: "accept", content: { confirmed: true } }) });
      const run = await load();
      strictEqual(await run(client, [[{ name: "delete_record", args: { id: "7" } }]]), "deleted");
      await close();
    });
  });
}

describe("the packages' own words", { skip }, () => {
  test("the examples, and so every type of the entry, check against the packages' types", {
    skip: runtime !== "bun" && "once is enough",
    timeout: 120_000,
  }, () => {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const tsc = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));
    const { status, stdout } = spawnSync(tsc, ["-p", "examples/agents", "--noEmit"], { cwd: root, encoding: "utf8" });
    strictEqual(status, 0, stdout);
  });

  test("what is strict here is strict for toStrictJsonSchema() of openai, and left as it is", async () => {
    const { toStrictJsonSchema } = await loadModule("openai/lib/transform.mjs") as {
      readonly toStrictJsonSchema: (schema: unknown) => unknown;
    };
    let strict = 0;
    for (const one of STRICT_CASES) {
      const { tools: [tool] } = await openaiTools({
        call: () => ({ kind: "answer", value: null }),
        list: () => [{ name: "it", inputSchema: schemaOf(one) }],
      });
      if (!tool?.function.strict) continue;
      strict++;
      deepStrictEqual(toStrictJsonSchema(tool.function.parameters), tool.function.parameters, one.name);
    }
    ok(strict > 10);
    throws(() => toStrictJsonSchema({ type: "object", properties: { a: { type: "string" } } }), /optional/);
  });
});
