import { create } from "@bufbuild/protobuf";
import { type Prompt, PromptSchema } from "../messages/gen/mcplite_pb.ts";
import { toJsonObject } from "../messages/json.ts";
import type { PromptListing } from "../../../core/content/prompt.ts";

/** A prompt as it is listed (docs/spec.md 8.1). */
export function encodePrompt(prompt: PromptListing): Prompt {
  const { name, title = "", description, arguments: args = [], _meta } = prompt;
  return create(PromptSchema, {
    name,
    title,
    description,
    arguments: [...args],
    ...(_meta !== undefined && { meta: toJsonObject(_meta) }),
  });
}
