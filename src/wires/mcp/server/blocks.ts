import type { Dialect } from "./revision.ts";
import type { Members } from "../../../internal/json.ts";

/** A block of content in the words of a revision: what it does not know is said by what it does. */
export function blockFor(block: object, { hasTitles, hasSound }: Dialect): object {
  if (hasTitles) return block;
  const { type, uri, data, mimeType } = block as Members;
  // Links to resources came with 2025-06-18, sound with 2025-03-26.
  if (type === "resource_link") return { type: "text", text: String(uri) };
  if (type !== "audio" || hasSound) return block;
  return { type: "resource", resource: { uri: "audio:", mimeType, blob: data } };
}
