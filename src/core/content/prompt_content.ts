import { isContentBlock, type PromptMessage, user } from "../call/content.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { PromptContent } from "./catalog.ts";
import type { PromptAnswer, PromptDefinition } from "./prompt.ts";

/**
 * A prompt as it is given.
 *
 * @throws {TypeError} If its handler gave something else than messages.
 */
export function toPromptContent({ name, description }: PromptDefinition, answer: PromptAnswer): PromptContent {
  const messages = typeof answer === "string" ? [user(answer)] : [answer].flat();
  if (!messages.every(isMessage)) {
    throw new TypeError(
      `The handler of prompt "${name}" has to return text, or messages that user(…) and assistant(…) make`,
    );
  }
  return { description, messages };
}

function isMessage(value: unknown): value is PromptMessage {
  if (!isJsonObject(value)) return false;
  return (value["role"] === "user" || value["role"] === "assistant") && isContentBlock(value["content"]);
}
