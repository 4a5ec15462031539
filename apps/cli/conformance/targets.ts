/** The targets of `toolwire conformance`: which specification and binding is checked at which address. */
import type { ConformanceTarget } from "../../../src/entries/testing.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import { parseTarget, type Target } from "../targets/target.ts";
import { candidatesOf } from "../targets/wires.ts";

/** Wires of URLs that `toolwire conformance` can check, and values of `--wire`. A `ws:` URL is MCP-lite over a WebSocket. */
export const CHECKED_WIRES = ["mcp-lite", "webtools", "grpc", "grpc-web"] as const;

type CheckedWire = typeof CHECKED_WIRES[number];

/** Path of a WebSocket whose address has none. */
const SOCKET_PATH = "/mcp-lite/v1";

const MEMBERS = { "mcp-lite": "mcpLite", webtools: "webtools", grpc: "grpc", "grpc-web": "grpcWeb" } as const;

/**
 * Returns the addresses of one server by wire, from the words of `toolwire conformance`. Nothing is requested.
 *
 * @param wire Wire of all URLs. Default: by their paths; MCP-lite if a path suggests nothing.
 * @throws {CliError} If there are no words, a word is not an address, or two are of the same wire.
 */
export function conformanceTargetOf(
  words: readonly string[],
  wire: CheckedWire | undefined,
  cwd: string,
): Pick<ConformanceTarget, typeof MEMBERS[CheckedWire] | "webSocket"> {
  if (words.length === 0) {
    throw new CliError(EXIT.usage, "The target is missing", { hint: "Name a URL, ws://host:port or grpc://host:port" });
  }
  const target: Record<string, string> = {};
  for (const word of words) {
    const [member, address] = socketOf(word) ?? addressOf(word, parseTarget(word, cwd), wire);
    if (target[member] !== undefined) {
      throw new CliError(EXIT.usage, `Two targets are of the same wire: ${target[member]} and ${address}`, {
        hint: "Give the addresses of one server, each of another wire",
      });
    }
    target[member] = address;
  }
  return target;
}

/** The address of a WebSocket, which other commands do not take. */
function socketOf(word: string): readonly [member: string, address: string] | undefined {
  if (!/^wss?:\/\//i.test(word) || !URL.canParse(word)) return undefined;
  const url = new URL(word);
  if (url.pathname === "/") url.pathname = SOCKET_PATH;
  return ["webSocket", url.href];
}

function addressOf(
  word: string,
  target: Target,
  wire: CheckedWire | undefined,
): readonly [member: string, address: string] {
  if (target.kind === "grpc") return [MEMBERS.grpc, target.address];
  if (target.kind !== "url") {
    throw new CliError(EXIT.usage, `${JSON.stringify(word)} is not a URL, ws://host:port or grpc://host:port`, {
      hint: "A server in this process is checked by conformanceSuite() of toolwire/testing",
    });
  }
  const chosen = wire ?? (/\/webtools\//.test(target.url.pathname) ? "webtools" : "mcp-lite");
  return [MEMBERS[chosen], candidatesOf(target.url, chosen)[0]?.url ?? target.url.href];
}
