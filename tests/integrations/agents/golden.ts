/** The requests of the adapters with {@link HARD_TOOLS}, by file of `golden/`. */
import {
  aiSdkTools,
  anthropicTools,
  googleTools,
  openaiAgentsTools,
  openaiResponsesTools,
  openaiTools,
} from "../../../src/entries/agents.ts";
import type { Transport } from "../../../src/entries/wire.ts";
import { groupOf, hardTools } from "./hard_tools.ts";

/** One checked-in payload. */
export interface Golden {
  /** Package of `examples/agents` that has the type. */
  readonly from: string;
  /** The type, as TypeScript. `T` is the module of the package. */
  readonly type: string;
  /** Makes the payload. */
  readonly make: () => Promise<unknown>;
}

const IMAGES: Transport = {
  list: () => [{ name: "it", inputSchema: { type: "object" } }],
  call: () => ({
    kind: "answer",
    value: [{ type: "text", text: "A chart" }, { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }],
  }),
};

const DEFERRED = { defer: "all", group: groupOf } as const;
const CALLERS = {
  callers: ({ name }: { readonly name: string }) => name.startsWith("crm.") ? "both" : "program",
  select: ({ name }: { readonly name: string }) => /^(crm\.|pinned)/.test(name),
} as const;
const QUERY = { query: "records, nullable values and conditions", limit: 6 };

async function responsesSearch(): Promise<unknown> {
  const { run } = await openaiResponsesTools(hardTools, DEFERRED);
  const call = { type: "tool_search_call", id: "tsc_1", call_id: "call_1", execution: "client", arguments: QUERY };
  const called = { type: "function_call", call_id: "call_2", namespace: "files", name: "move", arguments: "{}" };
  return await run([call, called]);
}

async function anthropicSearch(): Promise<unknown> {
  const { run } = await anthropicTools(hardTools, DEFERRED);
  const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
  return await run([
    use("toolu_1", "search_tools", QUERY),
    use("toolu_2", "files_move", {}),
    use("toolu_3", "gone", {}),
  ]);
}

async function aiSdk(options: object): Promise<unknown> {
  return Object.entries(await aiSdkTools(hardTools, options)).filter(([, tool]) => !tool.deferLoading).map((
    [name, { description, inputSchema, inputExamples }],
  ) => ({
    type: "function",
    name,
    ...(description !== undefined && { description }),
    inputSchema: inputSchema["~standard"].jsonSchema.input(),
    ...(inputExamples !== undefined && { inputExamples }),
  }));
}

/** The SDK has schemas of an older draft. */
const AI_SDK_TOOLS = '(Omit<T.LanguageModelV4FunctionTool, "inputSchema"> & { inputSchema: object })[]';

/** The payloads, by name of their file. */
export const GOLDEN: Readonly<Record<string, Golden>> = {
  openai_chat: {
    from: "openai",
    type: "T.OpenAI.Chat.ChatCompletionTool[]",
    make: async () => (await openaiTools(hardTools)).tools,
  },
  openai_chat_deferred: {
    from: "openai",
    type: "T.OpenAI.Chat.ChatCompletionTool[]",
    make: async () => (await openaiTools(hardTools, DEFERRED)).tools,
  },
  openai_responses: {
    from: "openai",
    type: "T.OpenAI.Responses.Tool[]",
    make: async () => (await openaiResponsesTools(hardTools)).tools,
  },
  openai_responses_deferred: {
    from: "openai",
    type: "T.OpenAI.Responses.Tool[]",
    make: async () => (await openaiResponsesTools(hardTools, DEFERRED)).tools,
  },
  openai_responses_callers: {
    from: "openai",
    type: "T.OpenAI.Responses.Tool[]",
    make: async () => (await openaiResponsesTools(hardTools, CALLERS)).tools,
  },
  openai_responses_search: {
    from: "openai",
    type: "T.OpenAI.Responses.ResponseInputItem[]",
    make: responsesSearch,
  },
  openai_agents: {
    from: "@openai/agents",
    // The SDK's types of schemas lack $defs.
    type:
      '(Pick<T.FunctionTool, "name" | "description" | "parameters" | "strict"> & { parameters: Record<string, unknown> })[]',
    make: async () =>
      (await openaiAgentsTools(hardTools)).map(({ name, description, parameters, strict }) => ({
        name,
        description,
        parameters,
        strict,
      })),
  },
  anthropic: {
    from: "@anthropic-ai/sdk",
    type: "T.Anthropic.Tool[]",
    make: async () => (await anthropicTools(hardTools)).tools,
  },
  anthropic_strict: {
    from: "@anthropic-ai/sdk",
    type: "T.Anthropic.Tool[]",
    make: async () => (await anthropicTools(hardTools, { strict: true })).tools,
  },
  anthropic_deferred: {
    from: "@anthropic-ai/sdk",
    type: "T.Anthropic.Tool[]",
    make: async () => (await anthropicTools(hardTools, DEFERRED)).tools,
  },
  anthropic_callers: {
    from: "@anthropic-ai/sdk",
    type: "T.Anthropic.Tool[]",
    make: async () => (await anthropicTools(hardTools, CALLERS)).tools,
  },
  anthropic_search: {
    from: "@anthropic-ai/sdk",
    type: "T.Anthropic.ToolResultBlockParam[]",
    make: anthropicSearch,
  },
  anthropic_image: {
    from: "@anthropic-ai/sdk",
    type: "T.Anthropic.ToolResultBlockParam[]",
    make: async () =>
      (await anthropicTools(IMAGES)).run([{ type: "tool_use", id: "1", name: "it", input: {} } as never]),
  },
  openai_responses_image: {
    from: "openai",
    type: "T.OpenAI.Responses.ResponseInputItem[]",
    make: async () =>
      (await openaiResponsesTools(IMAGES)).run([
        { type: "function_call", call_id: "1", name: "it", arguments: "{}" } as never,
      ]),
  },
  google_image: {
    from: "@google/genai",
    type: "T.Part[]",
    make: async () => (await googleTools(IMAGES)).run([{ id: "1", name: "it" }]),
  },
  google: {
    from: "@google/genai",
    type: "T.Tool[]",
    make: async () => (await googleTools(hardTools)).tools,
  },
  google_deferred: {
    from: "@google/genai",
    type: "T.Tool[]",
    make: async () => (await googleTools(hardTools, DEFERRED)).tools,
  },
  google_answers: {
    from: "@google/genai",
    type: "T.Part[]",
    make: async () =>
      (await googleTools(hardTools)).run([{ id: "1", name: "files_move", args: {} }, {
        id: "2",
        name: "gone",
        args: {},
      }]),
  },
  ai_sdk: {
    from: "@ai-sdk/provider",
    type: AI_SDK_TOOLS,
    make: () => aiSdk({}),
  },
  ai_sdk_deferred: {
    from: "@ai-sdk/provider",
    type: AI_SDK_TOOLS,
    make: () => aiSdk(DEFERRED),
  },
};
