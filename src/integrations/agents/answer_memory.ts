/** Answers for frameworks that convert a value for the model after the call: what `.render()` shows is not in the value. */
import { answered, type ToolCallResult } from "./agent_tool.ts";
import { takesMedia } from "./answer_content.ts";

/** Keeps what a model is shown of a value, as long as the value is used. */
export class AnswerMemory {
  readonly #results = new WeakMap<object, ToolCallResult>();
  readonly #takes: ReturnType<typeof takesMedia>;

  /** @param media Media types of files that the model takes. */
  constructor(media: readonly string[]) {
    this.#takes = takesMedia(media);
  }

  /** Keeps the result of a call, and returns its value. */
  keep(result: ToolCallResult): unknown {
    const { value } = result;
    if (result.isContent && typeof value === "object" && value !== null) this.#results.set(value, result);
    return value;
  }

  /** Returns what the model is shown of a value. One that was stored and read in the meantime is shown without its `.render()`. */
  recall(value: unknown): ToolCallResult {
    const kept = typeof value === "object" && value !== null ? this.#results.get(value) : undefined;
    return kept ?? answered(value, this.#takes);
  }
}
