import { isJsonObject } from "../../internal/json.ts";
import { fileContents } from "./file_block.ts";
import { readFileBlock } from "./read_file_block.ts";

/** One block of the bytes of several, which a stream of bytes consists of; `undefined` if they are not parts of one file. */
export function joinFile(pieces: readonly unknown[]): unknown {
  const [first] = pieces;
  const resource = resourceOf(first);
  if (typeof resource?.["uri"] !== "string") return undefined;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (const piece of pieces) {
    const bytes = resourceOf(piece)?.["uri"] === resource["uri"] ? readFileBlock(piece)?.bytes : undefined;
    if (bytes === undefined) return undefined;
    parts.push(bytes);
    length += bytes.length;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const { text: _text, blob: _blob, ...others } = resource;
  return { ...first as object, resource: { ...others, ...fileContents(whole, String(others["mimeType"])) } };
}

function resourceOf(piece: unknown): Readonly<Record<string, unknown>> | undefined {
  const { type, resource } = isJsonObject(piece) ? piece : {};
  return type === "resource" && isJsonObject(resource) ? resource : undefined;
}
