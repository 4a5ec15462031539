/**
 * `gateway`: a server elsewhere, behind any transport, as if its tools were here.
 *
 * @module
 */
import type { ListedTool, Transport } from "../../core/call/transport.ts";
import type { ToolSource } from "../../client/types.ts";
import type { Composable } from "../part.ts";
import type { Logger } from "../../core/handler/context.ts";
import type { AnyTool } from "../../core/tool/definition.ts";
import { Remote } from "./remote.ts";

/** Options of {@link gateway}. */
export interface GatewayOptions {
  /** Which of its tools are taken. Default: all. */
  readonly select?: (tool: ListedTool) => boolean;
  /** What a tool is called here, by its name there. Default: the same, with `_` for what no name may have. */
  readonly rename?: (name: string) => string;
  /**
   * Tools as the server listed them when somebody looked: others, and those that are not as they were, are left out. Default:
   * whatever the server lists.
   */
  readonly pinned?: readonly ListedTool[];
  /** Longest list of tools, prompts or resources that is taken, in entries; a server that lists more is not used. Default: 256. */
  readonly maxListed?: number;
  /** Longest such list, in UTF-16 code units of JSON. Default: 1 Mi. */
  readonly maxListChars?: number;
  /**
   * Whether arguments and answers are held here, too, to the schemas that the server lists. Default: `false`; the server checks
   * what it gets.
   */
  readonly validates?: boolean;
  /**
   * Whether the config that callers send goes on to the server: it may hold secrets that are meant for others. Default: `false`;
   * the transport's own config counts.
   */
  readonly passesConfig?: boolean;
  /** How long its calls may take, in milliseconds; for streams, how long they may be quiet. Default: what the whole says. */
  readonly timeoutMs?: number;
  /** How long the server may take to be listed, in milliseconds. Default: 30,000. */
  readonly listTimeoutMs?: number;
  /** Where it is written what of the server cannot be used. Default: nowhere. */
  readonly logger?: Logger;
}

/**
 * A server elsewhere, for `group` and `mount`.
 *
 * @typeParam Tools Its tools, if they are known to the types.
 */
export interface Gateway<Tools extends readonly AnyTool[] = readonly AnyTool[]> extends Composable<Tools> {
  /** What it is called here. */
  readonly name: string;
  /** Its tools that are taken, as it listed them last: what can be pinned. */
  readonly tools: readonly ListedTool[];
  /**
   * Lists its tools anew: for servers that do not tell of changes. Rejects with `ToolError` if they cannot be had, or are too
   * many; those that there were then stay.
   */
  refresh(): Promise<void>;
  /** Ends what the transport holds open. The server that it is a part of does it, too, when it is closed: one gateway for each. */
  close(): void;
}

/**
 * Makes a server elsewhere a part of servers here: its tools are listed now, and whenever it tells that they have changed.
 *
 * Calls go on with their deadlines, traces, keys and questions, and come back with pieces, progress, failures and promises; a
 * promise of it is redeemed here, at any replica, by the caller alone to whom it was given. The server sees one caller: whoever
 * the transport says. Over MCP its resources and prompts come along, as they are now.
 *
 * @example A server behind another
 * ```ts
 * import { createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire";
 * import { gateway, group } from "jsr:@toolwire/toolwire/compose";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * // In the place of mcpLiteTransport("https://…/mcp-lite/v1"), mcpTransport(…), stdioTransport(…), grpcTransport(…), …
 * const billing = createServer({ tools: [defineTool("total").describe("What is owed").handle(() => 12)] });
 * const remote = await gateway<typeof billing>("billing", memoryTransport(billing));
 *
 * const app = createServer({ tools: [], parts: [group("billing", remote)] });
 * strictEqual(await testClient(app).billing_total(), 12);
 * ```
 * @typeParam Source The server's type, if it is known.
 * @param name What it is called here: in errors, in logs, and as what is kept apart.
 * @param transport The way to it; it is closed with the server that this becomes a part of.
 * @returns Rejects with `ToolError` if the server cannot be listed, or lists too much; with `TypeError` or `RangeError` if an
 * option is not what it should be.
 */
export async function gateway<Source extends ToolSource = ToolSource>(
  name: string,
  transport: Transport,
  options: GatewayOptions = {},
): Promise<Gateway<NonNullable<Source["~tools"]>>> {
  const remote = new Remote(name, transport, options);
  await remote.begin();
  return remote as Gateway<NonNullable<Source["~tools"]>>;
}
