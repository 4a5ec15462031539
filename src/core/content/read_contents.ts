import { type ResourceContents, toResourceContents } from "../call/content.ts";
import { ToolError } from "../errors/tool_error.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { ResourceAnswer, ResourceDefinition, ResourcePartAt } from "./resource.ts";

/**
 * What was read, as it is sent.
 *
 * @throws {ToolError} `resource_not_found` if nothing was there.
 * @throws {TypeError} If the reader gave something else than text or bytes.
 */
export function toResourceContentsList(
  plan: ResourceDefinition,
  uri: string,
  answer: ResourceAnswer,
): readonly ResourceContents[] {
  const parts = partsOf(answer);
  if (parts.length === 0) throw new ToolError("resource_not_found", "Resource not found", { details: { uri } });
  if (!parts.every(isPart)) {
    throw new TypeError(
      `The reader of resource "${plan.uri}" has to return text, bytes, or parts such as { text } and { blob }; ` +
        `undefined says that there is no such resource`,
    );
  }
  return parts.map(({ uri: own = uri, ...part }) => toResourceContents(part, own, plan.mimeType));
}

function partsOf(answer: ResourceAnswer): readonly ResourcePartAt[] {
  if (answer === undefined || answer === null) return [];
  if (typeof answer === "string") return [{ text: answer }];
  return answer instanceof Uint8Array ? [{ blob: answer }] : [answer].flat();
}

function isPart(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  const { text, blob } = part;
  if ("text" in part) return typeof text === "string" && !("blob" in part);
  return typeof blob === "string" || blob instanceof Uint8Array;
}
