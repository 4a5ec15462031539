import { RESPONSES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `openaiResponsesTools`. */
export const OPENAI_RESPONSES: ViewedAdapter = {
  name: "`openaiResponsesTools`",
  run: program("openai_responses.ts", "runOpenAiResponses"),
  takes: ["image", "file"],
  marksErrors: false,
  api: RESPONSES,
  asks: "approve",
  deferred: "loads",
};
