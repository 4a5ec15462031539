import type { ErrorResult } from "../../core/call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { ProtectedResource } from "../../wires/wire.ts";

/** Longest text in quotes, in characters: headers are short. */
const MAX_TEXT = 256;

/**
 * What a refused caller is told to do about it: the header `WWW-Authenticate`, where other credentials would help.
 *
 * Source: RFC 6750, section 3, and RFC 9728, section 5.1.
 *
 * @param path Path of what was asked for.
 * @param resources What is told of the server's authorization; the one closest to the path counts.
 */
export function encodeChallenge(
  { code, message, data }: ErrorResult,
  path: string,
  resources: readonly ProtectedResource[],
): Readonly<Record<string, string>> | undefined {
  const { error, required_scopes: required }: Readonly<Record<string, unknown>> = isJsonObject(data) ? data : {};
  const scope = Array.isArray(required) ? required.filter(isText).map(quotable).join(" ") : "";
  const isUnknown = code === "unauthenticated";
  if (!isUnknown && (code !== "permission_denied" || scope === "")) return undefined;
  // Who has shown no credentials has made no error.
  const problem = isUnknown ? (isText(error) ? quotable(error) : undefined) : "insufficient_scope";
  const params = {
    error: problem,
    error_description: problem === undefined ? undefined : quotable(message),
    scope: scope === "" ? undefined : scope,
    resource_metadata: closest(path, resources)?.metadataUrl,
  };
  const written = Object.entries(params).flatMap(([name, value]) => value === undefined ? [] : [`${name}="${value}"`]);
  return { "www-authenticate": `Bearer ${written.join(", ")}`.trimEnd() };
}

function closest(path: string, resources: readonly ProtectedResource[]): ProtectedResource | undefined {
  const around = resources.filter((one) => `${path}/`.startsWith(`${one.path}/`));
  return around.sort((one, other) => other.path.length - one.path.length)[0];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** What may stand between quotes: printable ASCII, without the quote itself and the backslash. */
function quotable(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/"/g, "'").replace(/[^\x20-\x7e]|\\/g, "?");
}
