/** Serves MCP over the standard input and output of this process, as desktop hosts start it. */
import type { Principal } from "../../../../core/call/call.ts";
import { toPrincipal } from "../../../../core/call/principal.ts";
import { CleanUp } from "../../../../internal/clean_up.ts";
import { checkOptions, type OptionRules, rule, TEXT, TEXTS, wholeNumber } from "../../../../internal/options.ts";
import type { WireHost } from "../../../wire.ts";
import type { McpMethods, TypedMcpMethods } from "../../server/custom_method_types.ts";
import { mcpDuplex } from "../../server/duplex.ts";
import { PROTOCOL_RULES, type ProtocolOptions } from "../../server/mcp_server.ts";
import { claimOutput } from "./claim_output.ts";
import { localPrincipal } from "./local_principal.ts";
import { serveLines } from "./serve_lines.ts";
import process from "node:process";

/** Options of {@link serveStdio}. Defaults of the options of MCP are those of the server's wire `mcp({ … })`. */
export interface ServeStdioOptions<Methods = McpMethods> extends ProtocolOptions<Methods> {
  /**
   * The caller, with its scopes. Default: the user who started the program, `{ id: "local" }`, who is trusted: every scope is
   * granted.
   */
  readonly principal?: Principal<object> | undefined;
  /** Time that running calls have to finish after the input has ended, in milliseconds. Default: 10,000. */
  readonly graceMs?: number | undefined;
  /**
   * Maximum number of requests that run at once. Further ones wait; if those exceed `limits.bodyBytes` in total, more are refused
   * with `unavailable`. Pings, subscriptions, and answers and cancellations of tasks are not counted. Default: 100.
   */
  readonly maxConcurrentCalls?: number | undefined;
}

/** What {@link serveStdio} needs of a server: `createServer()` returns one. */
export interface StdioServer {
  /** Access to the server, for wires and adapters. */
  readonly "~server": { readonly host: WireHost; resume(): void };
  /** Closes the server. */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

const RULES: OptionRules<ServeStdioOptions> = {
  ...PROTOCOL_RULES,
  graceMs: wholeNumber(0, "milliseconds"),
  maxConcurrentCalls: wholeNumber(1),
  principal: rule("{ id, scopes? }, with a non-empty id and an array of scopes", isPrincipal),
};

function isPrincipal(value: unknown): boolean {
  const { id, scopes = [] } = (value ?? {}) as Partial<Principal>;
  return TEXT.fits(id) && TEXTS.fits(scopes);
}

/**
 * Serves a server over standard input and output until the input ends. Then running calls may finish, and the server is closed.
 * Meanwhile everything else that is written to standard output, also by `console.log`, goes to standard error: the output carries
 * messages only.
 *
 * @example A program that a host can start
 * ```ts check
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { serveStdio } from "jsr:@toolwire/toolwire/stdio";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * await serveStdio(createServer({ name: "pinger", version: "1.0.0", tools: [ping] }));
 * ```
 * @returns Resolves when the input has ended and the server is closed.
 * @throws {RangeError} If a number among the options is out of range.
 * @throws {TypeError} If `server` is not a server, another option is invalid or unknown, or a tool violates the rules of MCP.
 */
export async function serveStdio<const Params = Record<never, never>, Methods = unknown>(
  server: StdioServer,
  options: ServeStdioOptions<TypedMcpMethods<Params, Methods>> = {},
): Promise<void> {
  if (typeof server?.["~server"]?.host?.dispatch?.call !== "function") {
    throw new TypeError("Cannot serve this over stdio: pass the server that createServer() returns");
  }
  checkOptions("serve MCP over stdio", options, RULES);
  const { host } = server["~server"];
  const { graceMs = DEFAULT_GRACE_MS, principal: given, ...own } = options;
  const principal = given === undefined ? localPrincipal(host) : toPrincipal(given);
  const wire = mcpDuplex(own);
  const output = claimOutput();
  server["~server"].resume();
  const closing = new CleanUp();
  await closing.wait(() => serveLines(wire, host, { input: process.stdin, write: output.write, graceMs, principal }));
  await closing.wait(() => server.close(graceMs));
  closing.try(() => output.release());
  closing.finish("Cannot close the server completely");
}
