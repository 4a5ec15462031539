import { isJsonObject } from "../../internal/json.ts";

/** One block of the bytes of several, which a stream of bytes consists of; `undefined` if they are not parts of one file. */
export function joinFile(pieces: readonly unknown[]): unknown {
  const [first] = pieces;
  const uri = resourceOf(first)?.["uri"];
  if (typeof uri !== "string") return undefined;
  let binary = "";
  for (const piece of pieces) {
    const { uri: other, blob } = resourceOf(piece) ?? {};
    if (other !== uri || typeof blob !== "string") return undefined;
    try {
      binary += atob(blob);
    } catch {
      return undefined;
    }
  }
  return { ...first as object, resource: { ...resourceOf(first), blob: btoa(binary) } };
}

function resourceOf(piece: unknown): Readonly<Record<string, unknown>> | undefined {
  const { type, resource } = isJsonObject(piece) ? piece : {};
  return type === "resource" && isJsonObject(resource) ? resource : undefined;
}
