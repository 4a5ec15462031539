import { runAiSdkAnthropic, runAiSdkGoogle } from "../ai_sdk_models.ts";
import { GEMINI, MESSAGES, RESPONSES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `aiSdkTools` (OpenAI). */
export const AI_SDK: ViewedAdapter = {
  name: "`aiSdkTools` (OpenAI)",
  run: program("ai_sdk.ts", "runAiSdk"),
  takes: ["image", "file"],
  marksErrors: false,
  api: RESPONSES,
  asks: "framework",
  deferred: "loads",
};

/** `aiSdkTools` with Anthropic. */
export const AI_SDK_ANTHROPIC: ViewedAdapter = {
  name: "`aiSdkTools` (Anthropic)",
  run: runAiSdkAnthropic,
  takes: ["image", "file"],
  marksErrors: true,
  api: MESSAGES,
  asks: "framework",
  deferred: "loads",
};

/** `aiSdkTools` with Gemini, whose `functionResponse.parts` have no sounds; with `media` the AI SDK sends them to models before Gemini 3. */
export const AI_SDK_GOOGLE: ViewedAdapter = {
  name: "`aiSdkTools` (Gemini)",
  run: runAiSdkGoogle,
  takes: ["image", "file"],
  marksErrors: true,
  api: GEMINI,
  asks: "framework",
  deferred: "loads",
};
