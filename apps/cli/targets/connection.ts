/** Opened targets. */
import type { ListedTool, Transport } from "../../../src/core/call/transport.ts";
import type { FetchFunction } from "../../../src/entries/oauth.ts";
import type { McpTransport } from "../../../src/wires/mcp/client/types.ts";

/** A connection to the server of a target. */
export interface TargetConnection {
  /** The target, for people: a URL, a file, a program. Foreign text. */
  readonly label: string;
  /** Wire: `memory`, `mcp`, `mcp-lite`, `rest`, `webtools`, `connect`, `grpc-web`, `grpc`, `websocket`, `stdio`, `recording`. */
  readonly wire: string;
  /** Address, for targets that have one. */
  readonly url: string | undefined;
  /** Transport, for `createClient(connection.transport)`. */
  readonly transport: Transport;
  /** `false` if the server is known to have neither resources nor prompts, so that MCP need not be loaded to list them. */
  readonly hasContents?: boolean;
  /** Returns the tools. The list is requested once. Rejects with `CliError` or `ToolError`. */
  tools(): Promise<readonly ListedTool[]>;
  /**
   * Returns a transport with resources, prompts and completion; `undefined` if the target does not support MCP. It has been
   * prepared by {@link OpenTargetOptions.prepare}.
   */
  mcp(): Promise<McpTransport | undefined>;
  /** Closes connections, and the module's server. */
  close(): Promise<void>;
}

/** Options of `openTarget()`. */
export interface OpenTargetOptions {
  /** Aborts the opening. */
  readonly signal?: AbortSignal | undefined;
  /** Sends the requests of a URL, in place of the global `fetch`. */
  readonly fetch?: FetchFunction | undefined;
  /** Receives each value that may be a secret: of headers, of a program's variables, and tokens of OAuth, also later ones. */
  readonly onCredential?: ((value: string) => void) | undefined;
  /** Receives each transport of MCP before its first request, to set handlers of questions and log messages. */
  readonly prepare?: ((transport: McpTransport) => void) | undefined;
  /** Receives lines for people: what is left out, and why. */
  readonly note?: ((line: string) => void) | undefined;
  /** Whether the default log of a module's server is off. Default: `false`. */
  readonly isQuiet?: boolean;
}
