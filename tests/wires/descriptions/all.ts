/** The descriptions of all wires, in the order of docs/guarantees.md. */
import type { Dialect, Need, WireDescription } from "./description.ts";
import { connect, grpc, grpcWeb } from "./grpc.ts";
import { mcp } from "./mcp.ts";
import { mcpLite } from "./mcp_lite.ts";
import { memory } from "./memory.ts";
import { rest } from "./rest.ts";
import { stdio } from "./stdio.ts";
import { websocket } from "./websocket.ts";
import { webtools } from "./webtools.ts";
import type { RequestWire } from "../../../src/entries/wire.ts";

/** One for each column of the page. */
export const DESCRIPTIONS: readonly WireDescription[] = [
  memory,
  mcpLite,
  websocket,
  connect,
  grpcWeb,
  grpc,
  webtools,
  rest,
  mcp,
  stdio,
];

/** The wires of the suites' servers. */
export const wires: readonly RequestWire[] = DESCRIPTIONS.flatMap(({ wire }) => wire ?? []);

/** The same without sessions: requests of older revisions of MCP need none. */
export const STATELESS: readonly RequestWire[] = DESCRIPTIONS.flatMap(({ wire, statelessWire = wire }) =>
  statelessWire ?? []
);

/** A dialect, and where it belongs. */
export interface NamedDialect {
  readonly column: string;
  readonly name: string;
  readonly dialect: Dialect;
}

function dialectsOf(isHttp2: boolean): readonly NamedDialect[] {
  return DESCRIPTIONS.flatMap(({ name: column, clients = [] }) =>
    clients.flatMap(({ name, dialect, isHttp2: is = false }) =>
      dialect === undefined || is !== isHttp2 ? [] : [{ column, name, dialect }]
    )
  );
}

/** Dialects that `fetch` can send. */
export const DIALECTS: readonly NamedDialect[] = dialectsOf(false);

/** Dialects that need HTTP/2. */
export const HTTP2_DIALECTS: readonly NamedDialect[] = dialectsOf(true);

/** The reasons of the descriptions that do not have what a guarantee needs. */
export function without(need: Need): Readonly<Record<string, string>> {
  return Object.fromEntries(
    DESCRIPTIONS.flatMap(({ name, without = {} }) => without[need] === undefined ? [] : [[name, without[need]]]),
  );
}
