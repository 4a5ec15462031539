/** Finds the endpoint of MCP for a URL without a path. */
import { releasing } from "../../../src/internal/clean_up.ts";
import { withLimits } from "../targets/limits.ts";
import { openWire } from "../targets/wires.ts";
import type { McpTransport } from "../../../src/wires/mcp/client/types.ts";

/** Time limit of a request, in milliseconds. */
const TIMEOUT_MS = 3_000;

/** The URL of an MCP server, perhaps completed, its name, and a warning if no server answers there. */
export interface FoundEndpoint {
  readonly url: string;
  /** Foreign text; `undefined` if the server did not answer. */
  readonly serverName?: string | undefined;
  /** Text that the user is shown if no server answers; otherwise `undefined`. */
  readonly warning?: string;
}

/**
 * Completes a URL without a path to `/mcp` if MCP answers there and not at the root, and finds out the server's name. A URL with a path
 * stays as it is.
 *
 * @param headers Headers of the requests.
 * @param isNamed Whether the server's name is not needed. Then a URL with a path is not requested.
 */
export async function findEndpoint(
  url: URL,
  headers: Readonly<Record<string, string>>,
  isNamed: boolean,
): Promise<FoundEndpoint> {
  if (url.pathname !== "/") {
    return { url: url.href, serverName: isNamed ? undefined : (await ask(url.href, headers)).serverName };
  }
  const completed = new URL(url);
  completed.pathname = "/mcp";
  const [own, common] = await Promise.all([ask(url.href, headers), ask(completed.href, headers)]);
  const found = [
    { url: url.href, ...own },
    { url: completed.href, ...common },
  ];
  // A server that demands a token for every path does not state where its endpoint is.
  const [best] = [
    ...found.filter(({ state }) => state === "answers"),
    ...found.filter(({ state }) => state === "refuses"),
  ];
  if (best !== undefined) return { url: best.url, serverName: best.serverName };
  const warning =
    `Nothing answers MCP at ${url.href} or ${completed.href}: start the server, or give the whole URL of its endpoint`;
  return { url: url.href, warning };
}

/** What a URL was found to be. */
interface Answer {
  /** Whether MCP answers, answers to callers with a token, or does not answer. */
  readonly state: "answers" | "refuses" | "silent";
  readonly serverName?: string | undefined;
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const transport = await openWire("mcp", url, { headers, era: undefined, pin: undefined }) as McpTransport;
  return await releasing(() => askOver(transport), () => transport.close?.());
}

async function askOver(transport: McpTransport): Promise<Answer> {
  try {
    const result = await withLimits({ timeout: TIMEOUT_MS }, undefined, async (limit) => await transport.list(limit));
    if ("kind" in result) {
      return { state: result.code === "unauthenticated" || result.code === "permission_denied" ? "refuses" : "silent" };
    }
    const server = await transport.server({ timeoutMs: TIMEOUT_MS }).catch(() => undefined);
    return { state: "answers", serverName: server?.info?.name };
  } catch {
    return { state: "silent" };
  }
}
