import { CHAT, GEMINI, MESSAGES, RESPONSES } from "../apis.ts";
import { runTanStackGoogle, runTanStackOpenAi } from "../tanstack_models.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `tanstackTools` (Anthropic). `@tanstack/ai-anthropic/dist/esm/adapters/text.js` writes `tool_result` without `is_error`. */
export const TANSTACK: ViewedAdapter = {
  name: "`tanstackTools` (Anthropic)",
  run: program("tanstack.ts", "runTanStack"),
  takes: ["image", "file"],
  marksErrors: false,
  api: MESSAGES,
  asks: "framework",
  deferred: "two",
};

/** `tanstackTools` with Responses. */
export const TANSTACK_RESPONSES: ViewedAdapter = {
  name: "`tanstackTools` (OpenAI, Responses)",
  run: runTanStackOpenAi("createOpenaiChat"),
  takes: ["image", "file"],
  marksErrors: false,
  api: RESPONSES,
  asks: "framework",
  deferred: "two",
};

/**
 * `tanstackTools` with Chat Completions, whose messages of tools are texts. `@tanstack/openai-base/dist/esm/adapters/chat-completions-text.js`
 * writes parts of answers as JSON, so that files have to be named.
 */
export const TANSTACK_CHAT: ViewedAdapter = {
  name: "`tanstackTools` (OpenAI, Chat), `media: []`",
  run: (source, script, options) =>
    runTanStackOpenAi("createOpenaiChatCompletions")(source, script, { media: [], ...options }),
  takes: [],
  marksErrors: false,
  api: CHAT,
  asks: "framework",
  deferred: "two",
};

/**
 * Gemini as TanStack AI uses it: `@tanstack/ai-gemini/dist/esm/adapters/text.js` sends each file twice, as a part of the message and as a part of the
 * answer.
 */
const GEMINI_TWICE: ViewedAdapter["api"] = {
  ...GEMINI,
  result(body) {
    const result = GEMINI.result(body);
    const files = new Map(result?.files.map((file) => [file.data, file]));
    return result && { ...result, files: [...files.values()] };
  },
};

/** `tanstackTools` with Gemini. */
export const TANSTACK_GOOGLE: ViewedAdapter = {
  name: "`tanstackTools` (Gemini)",
  run: runTanStackGoogle,
  takes: ["image", "file"],
  marksErrors: false,
  api: GEMINI_TWICE,
  asks: "framework",
  deferred: "two",
};
