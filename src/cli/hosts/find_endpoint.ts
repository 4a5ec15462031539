/** Finds the endpoint of MCP for a URL without a path. */
import { withLimits } from "../targets/limits.ts";
import { openWire } from "../targets/wires.ts";

/** Time limit of a request, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** The URL of an MCP server, perhaps completed, and a warning if no server answers there. */
export interface FoundEndpoint {
  readonly url: string;
  /** For the user; `undefined` if a server answers, or was not asked. */
  readonly warning?: string;
}

/**
 * Completes a URL without a path to `/mcp` if MCP answers there and not at the root. A URL with a path is left, and not requested.
 *
 * @param headers Headers of the requests.
 */
export async function findEndpoint(url: URL, headers: Readonly<Record<string, string>>): Promise<FoundEndpoint> {
  if (url.pathname !== "/") return { url: url.href };
  const completed = new URL(url);
  completed.pathname = "/mcp";
  const [own, common] = await Promise.all([requestList(url.href, headers), requestList(completed.href, headers)]);
  if (own === "answers") return { url: url.href };
  if (common === "answers") return { url: completed.href };
  // A server that demands a token for every path does not say where its endpoint is.
  if (own === "refuses") return { url: url.href };
  if (common === "refuses") return { url: completed.href };
  const warning =
    `Nothing answers MCP at ${url.href} or ${completed.href}: start the server, or give the whole URL of its endpoint`;
  return { url: url.href, warning };
}

/** Whether MCP answers, answers to callers with a token, or does not answer. */
async function requestList(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<"answers" | "refuses" | "silent"> {
  const transport = await openWire("mcp", url, { headers, era: undefined, pin: undefined });
  try {
    const result = await withLimits({ timeout: TIMEOUT_MS }, undefined, async (limit) => await transport.list(limit));
    if (!("kind" in result)) return "answers";
    return result.code === "unauthenticated" || result.code === "permission_denied" ? "refuses" : "silent";
  } catch {
    return "silent";
  } finally {
    transport.close?.();
  }
}
