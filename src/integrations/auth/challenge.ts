import type { ErrorResult } from "../../core/call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { ProtectedResource } from "../../wires/wire.ts";

/** Maximum length of a quoted parameter, in characters. */
const MAX_QUOTED_CHARS = 256;

/**
 * Encodes the header `WWW-Authenticate` for an error that other credentials could resolve. Returns `undefined` for other errors.
 *
 * Source: RFC 6750, section 3, and RFC 9728, section 5.1.
 *
 * @param path Path of the request.
 * @param resources The protected resources of the server. The one with the longest path around `path` is used.
 */
export function encodeChallenge(
  { code, message, data }: ErrorResult,
  path: string,
  resources: readonly ProtectedResource[],
): Readonly<Record<string, string>> | undefined {
  const { error, required_scopes: required }: Readonly<Record<string, unknown>> = isJsonObject(data) ? data : {};
  const scope = Array.isArray(required) ? required.filter(isText).map(quotable).join(" ") : "";
  const isUnauthenticated = code === "unauthenticated";
  if (!isUnauthenticated && (code !== "permission_denied" || scope === "")) return undefined;
  // A request without credentials gets a challenge without an error.
  const errorCode = isUnauthenticated ? (isText(error) ? quotable(error) : undefined) : "insufficient_scope";
  const params = {
    error: errorCode,
    error_description: errorCode === undefined ? undefined : quotable(message),
    scope: scope === "" ? undefined : scope,
    resource_metadata: closestTo(path, resources)?.metadataUrl,
  };
  const encoded = Object.entries(params).flatMap(([name, value]) => value === undefined ? [] : [`${name}="${value}"`]);
  return { "www-authenticate": `Bearer ${encoded.join(", ")}`.trimEnd() };
}

function closestTo(path: string, resources: readonly ProtectedResource[]): ProtectedResource | undefined {
  const around = resources.filter((one) => `${path}/`.startsWith(`${one.path}/`));
  return around.sort((one, other) => other.path.length - one.path.length)[0];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Replaces characters that a quoted parameter must not contain: only printable ASCII without quote and backslash is allowed. */
function quotable(text: string): string {
  return text.slice(0, MAX_QUOTED_CHARS).replace(/"/g, "'").replace(/[^\x20-\x7e]|\\/g, "?");
}
