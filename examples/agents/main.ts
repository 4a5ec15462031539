/**
 * One travel agency, twelve interfaces for models: each lets its model plan a weekend with the same tools, once in this process and once over
 * the network.
 *
 * Run with `npm install` in this folder, then `bun main.ts` or `deno run -A main.ts`. It ends with 0 if all went as it should, and
 * with 1 and an assertion's message if not.
 *
 * @module
 */
import { deepStrictEqual } from "node:assert/strict";
import { createClient, mcpLiteTransport, memoryTransport } from "jsr:@toolwire/toolwire";
import type { Transport } from "jsr:@toolwire/toolwire/wire";
import { grpcTransport } from "jsr:@toolwire/toolwire/grpc";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { runAdk } from "./adk.ts";
import { runAiSdk } from "./ai_sdk.ts";
import { runAnthropic } from "./anthropic.ts";
import { runAnthropicRunner } from "./anthropic_runner.ts";
import { runGoogle } from "./google_genai.ts";
import { runGoogleInteractions } from "./google_interactions.ts";
import { runLangChain } from "./langchain.ts";
import { runMastra } from "./mastra.ts";
import { runOpenAi } from "./openai.ts";
import { runOpenAiAgents } from "./openai_agents.ts";
import { runOpenAiResponses } from "./openai_responses.ts";
import type { Script } from "./scripted/script.ts";
import { createAgency } from "./server.ts";
import { runTanStack } from "./tanstack.ts";

const agents = {
  "OpenAI, Chat Completions": runOpenAi,
  "OpenAI, Responses": runOpenAiResponses,
  "Anthropic, Messages": runAnthropic,
  "Anthropic, tool runner": runAnthropicRunner,
  "OpenAI, Agents SDK": runOpenAiAgents,
  "Google, Gen AI SDK": runGoogle,
  "Google, Interactions": runGoogleInteractions,
  "Google, ADK": runAdk,
  "AI SDK": runAiSdk,
  LangChain: runLangChain,
  Mastra: runMastra,
  "TanStack AI": runTanStack,
};

/** What the models do, in the order of their messages: two calls at once, a call that fails, the same with what it learned, … */
const script: Script = [
  [
    {
      name: "trains_find",
      args: { from: "Berlin", to: "Paris", after: "07:00" },
    },
    { name: "book_hotel", args: { city: "Paris", nights: 2 } },
  ],
  [{ name: "trains_reserve", args: { train: "BP 1" } }],
  [{ name: "trains_reserve", args: { train: "BP 2" } }],
  [{ name: "write_itinerary", args: { days: ["Louvre", "Seine"] } }],
  [{ name: "pay", args: { euros: 320 } }],
];

/** Results of the tools, which the models repeat at the end. */
const told = [
  '[{"train":"BP 1","departs":"07:12"},{"train":"BP 2","departs":"09:40"}]',
  '{"booking":"2 nights in Paris"}', //                   promised, and awaited
  "The tool says no (sold_out): BP 1 is sold out",
  'Data: {"next":"BP 2"}',
  "The same call fails again: act on the reason, or tell the user.",
  "Seat 42 in BP 2",
  "Day 1: Louvre. Day 2: Seine. ", //                     streamed, and joined
  "320 euros are paid", //                                asked for, and agreed to
];

const agency = createAgency();
const running = await serve(agency, { port: 0, grpc: true });
const transports: Record<string, Transport> = {
  "in this process": memoryTransport(agency),
  "over HTTP": mcpLiteTransport(`${running.url}/mcp-lite/v1`),
  "over gRPC": grpcTransport(running.grpcUrl!),
};
try {
  for (const [where, transport] of Object.entries(transports)) {
    // What a tool asks is answered by the client, that is by your application, and not by the model.
    const client = createClient(transport, {
      onElicitation: ({ message }) => {
        console.log(`    ${message} Yes.`);
        return { action: "accept", content: { agreed: true } };
      },
    });
    for (const [name, run] of Object.entries(agents)) {
      console.log(`\n${name}, ${where}`);
      const answer = await run(client, script, {
        onProgress: ({ done, total }, { tool }) => console.log(`    ${tool}: ${done} of ${total}`),
        onPartial: (piece) => console.log(`    ${piece}`),
      });
      deepStrictEqual(answer.split("\n"), told);
    }
    client.$.close();
  }
  console.log("\nAll as it should be.");
} finally {
  await running.close();
}
