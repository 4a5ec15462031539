import { CHAT } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

const runOpenAi = program("openai.ts", "runOpenAi");

/** `openaiTools` for a model that takes files. */
export const OPENAI_FILES: ViewedAdapter = {
  name: '`openaiTools`, `media: ["*"]`',
  run: (source, script, options) => runOpenAi(source, script, { media: ["*"], ...options }),
  takes: ["image", "file", "audio"],
  marksErrors: false,
  api: CHAT,
  asks: "approve",
  deferred: "call_tool",
};
