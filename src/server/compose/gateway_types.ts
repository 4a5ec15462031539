import type { ListedTool } from "../../core/call/transport.ts";
import type { ListSizeOptions } from "../../core/json_schema/compact.ts";
import type { Logger } from "../../core/handler/context.ts";
import type { AccessOptions } from "../../core/tool/access.ts";
import type { AnyTool } from "../../core/tool/definition.ts";
import type { McpRoot } from "../../wires/mcp/client/types.ts";
import type { Composable } from "../server_options.ts";

/** Options of `gateway()`. */
export interface GatewayOptions extends ListSizeOptions, AccessOptions {
  /** Whether a tool of the server is taken. Default: all are. */
  readonly select?: ((tool: ListedTool) => boolean) | undefined;
  /** Maps a tool's remote name to its name here. Default: the same name, with `_` in place of invalid characters. */
  readonly rename?: ((name: string) => string) | undefined;
  /**
   * Reviewed tools, from an earlier list of the server. Tools that are new or have changed are left out. Default:
   * all tools of the server.
   */
  readonly pinned?: readonly ListedTool[] | undefined;
  /** Limit on the entries of a list of tools, prompts or resources; a server that lists more is not used. Default: 256. */
  readonly maxListed?: number | undefined;
  /** Limit on the size of such a list, in UTF-16 code units of JSON. Default: 1 Mi. */
  readonly maxListChars?: number | undefined;
  /**
   * Whether arguments and answers are validated here, too, by the schemas that the server lists. Default: `false`; the server validates
   * its input.
   */
  readonly validate?: boolean | undefined;
  /**
   * Whether the config of callers is passed on to the server: it may contain secrets for other servers. Default: `false`;
   * the transport's own config is used.
   */
  readonly forwardConfig?: boolean | undefined;
  /**
   * Folders that the server gets when it asks for roots, in every session and call. Callers are never asked for them: the folders of
   * one caller would be those of all. A handler of the transport (`onRoots`) takes precedence. Default: none.
   */
  readonly roots?: readonly McpRoot[] | undefined;
  /** Time limit of its calls, in milliseconds; for streams, the idle time. Default: the whole server's. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time limit for listing the server, in milliseconds: for all lists together while the gateway is made, then for each refresh.
   * Default: 30,000.
   */
  readonly listTimeoutMs?: number | undefined;
  /** Receives warnings about parts of the server that cannot be used. Default: none. */
  readonly logger?: Logger | undefined;
}

/**
 * A remote server, for `group` and `mount`.
 *
 * @typeParam Tools The server's tools, if their types are known.
 */
export interface Gateway<Tools extends readonly AnyTool[] = readonly AnyTool[]> extends Composable<Tools> {
  /** Name of the server here, for errors, logs and URIs of views. */
  readonly name: string;
  /** The selected tools of the last list. Can be passed as `pinned`. */
  readonly tools: readonly ListedTool[];
  /**
   * Lists its tools again: for servers that do not announce changes. Rejects with `ToolError` if they cannot be listed or are too
   * many; the last list then stays.
   */
  refresh(): Promise<void>;
  /** Closes the transport. Closing the server that it is a part of does the same, so make one gateway for each server. */
  close(): void;
}
