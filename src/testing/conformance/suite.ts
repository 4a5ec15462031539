/** The conformance suite: the checks of MCP-lite 0.042 and of Webtools 2025-06-30 for any server. */
import { ToolError } from "../../core/errors/tool_error.ts";
import { createRedactor, type Redactor } from "../../core/redaction/redact.ts";
import { headersFor, type HttpClientOptions, toHeaders } from "../../http_client/send.ts";
import { CALL_CHECKS } from "./call_checks.ts";
import { type ConformanceLevel, NotApplicable, type ServerCheck, type ShownExchange } from "./check.ts";
import { COMPARISON_CHECKS } from "./comparison_checks.ts";
import { DISCOVERY_CHECKS } from "./discovery_checks.ts";
import { GrpcBinding } from "./grpc_binding.ts";
import { GRPC_CHECKS } from "./grpc_checks.ts";
import { grpcSender, grpcWebSender, type SendRpc } from "./grpc_send.ts";
import { HttpBinding } from "./http_binding.ts";
import { HTTP_CHECKS } from "./http_checks.ts";
import { HTTP_ERROR_CHECKS } from "./http_error_checks.ts";
import { HTTP_STREAM_CHECKS } from "./http_stream_checks.ts";
import { McpLiteServer } from "./mcp_lite_server.ts";
import { assertConformanceOptions, type ConformanceOptions, type ConformanceTarget } from "./options.ts";
import { PROMISE_CHECKS } from "./promise_checks.ts";
import { HttpSender } from "./send.ts";
import { SocketBinding } from "./socket_binding.ts";
import { openNative } from "../../wires/mcp_lite/websocket/client/transport.ts";
import { STREAM_CHECKS } from "./stream_checks.ts";
import { WEBTOOL_EXECUTION_CHECKS } from "./webtool_execution_checks.ts";
import { WEBTOOL_METADATA_CHECKS } from "./webtool_metadata_checks.ts";
import { WebtoolServer } from "./webtool_server.ts";

/** Protocol over which a check is made: a binding of MCP-lite, or Webtools. */
export type ConformanceBinding = "http" | "grpc" | "grpc-web" | "websocket" | "webtools";

/** What a check found, for a report. Contains no header and no token. */
export interface ConformanceResult {
  /** Section and words: `3.1-unique-names`. */
  readonly id: string;
  /** Protocol. */
  readonly binding: ConformanceBinding;
  /** Specification with its version: `MCP-lite 0.042`. */
  readonly specification: string;
  /** Number or heading of the section. */
  readonly section: string;
  /** Whether it is a rule or a recommendation. */
  readonly level: ConformanceLevel;
  /** The rule, in one sentence. */
  readonly title: string;
  /** `not applicable`: the server does not declare the feature, or trying it may change something. */
  readonly status: "passed" | "failed" | "not applicable";
  /** What the response has to be. */
  readonly expected: string;
  /** Method, path and body of the request. */
  readonly sent?: string | undefined;
  /** Status, content type and body of the response. */
  readonly received?: string | undefined;
  /** Why the check does not apply, or what is wrong. */
  readonly reason?: string | undefined;
}

/** A check of a server, for the test function of any framework or for a report. */
export interface ConformanceCheck extends Pick<ConformanceResult, "id" | "binding" | "section" | "level" | "title"> {
  /** Makes the check. Rejects if the server cannot be reached, or does not permit a list of its tools. */
  readonly run: () => Promise<ConformanceResult>;
}

const MCP_LITE = "MCP-lite 0.042";
const WEBTOOLS = "Webtools 2025-06-30";

/** The rules that every binding of MCP-lite has. */
const COMMON_CHECKS = [...DISCOVERY_CHECKS, ...CALL_CHECKS, ...PROMISE_CHECKS, ...STREAM_CHECKS];

/**
 * Lists checks of the specifications MCP-lite and Webtools, for any server.
 *
 * The suite knows nothing about the tools of the server: it makes arguments of their schemas. Only tools with the annotation
 * `readOnlyHint` are called, unless the options name a tool or allow writes. What the server does not declare, and what cannot be tried
 * without side effects, is `not applicable`. The checks of one suite share their requests; run them one after the other.
 *
 * @example The server of this process
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { conformanceSuite } from "jsr:@toolwire/toolwire/testing";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const time = defineTool("time").describe("The time").annotate({ readOnlyHint: true }).handle(() => new Date(0).toISOString());
 * const server = createServer({ tools: [time] });
 * const fetch = (url: string, init: RequestInit) => Promise.resolve(server.fetch(new Request(url, init)));
 * const failed: string[] = [];
 * for (const check of conformanceSuite({ mcpLite: "http://localhost/mcp-lite/v1", fetch })) {
 *   const { status, id } = await check.run();
 *   if (status === "failed") failed.push(id);
 * }
 * deepStrictEqual(failed, []);
 * ```
 * @param target Addresses of the server, at least one.
 * @param options Tools that may be called.
 * @returns The checks, by binding and section.
 * @throws {TypeError} If there is no address, or an option is invalid or unknown.
 * @throws {RangeError} If `timeoutMs` is not a whole number of at least 1.
 */
export function conformanceSuite(target: ConformanceTarget, options: ConformanceOptions = {}): ConformanceCheck[] {
  assertConformanceOptions(options);
  const bench = new SuiteBench(target, options);
  const checks = [...mcpLiteChecks(bench), ...webtoolChecks(bench)];
  if (checks.length > 0) return checks;
  throw new TypeError(
    "Cannot check a server: the target has no address; give mcpLite, grpc, grpcWeb, webSocket or webtools",
  );
}

/** What the checks of one suite share. */
class SuiteBench {
  readonly target: ConformanceTarget;
  readonly options: ConformanceOptions;
  readonly timeoutMs: number;
  /** Headers of the caller. Their values become secrets of the report. */
  readonly headers: () => Promise<Headers>;
  readonly sender: HttpSender;
  readonly redactor: Redactor;

  constructor(target: ConformanceTarget, options: ConformanceOptions) {
    const secrets = new Set<string>();
    const { fetch, headers } = target;
    this.target = target;
    this.options = options;
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.headers = () => readHeaders(headers, secrets);
    this.sender = new HttpSender(
      { headers: this.headers, ...(fetch !== undefined && { fetch }) },
      this.timeoutMs,
      secrets,
    );
    this.redactor = createRedactor(secrets);
  }

  /**
   * Prepares the checks of one binding.
   *
   * @param connect Rejects if the server cannot be reached. Called once.
   */
  checks<Server>(
    binding: ConformanceBinding,
    specification: string,
    server: Server,
    checks: readonly ServerCheck<Server>[],
    connect: () => Promise<void>,
  ): ConformanceCheck[] {
    let connected: Promise<void> | undefined;
    return checks.map((check) => {
      const { id, section, level, title, expected } = check;
      const rule = { id, binding, specification, section, level, title, expected };
      const run = async (): Promise<ConformanceResult> => {
        await (connected ??= connect());
        return { ...rule, ...await this.#judge(check, server) };
      };
      return { id, binding, section, level, title, run };
    });
  }

  async #judge<Server>(check: ServerCheck<Server>, server: Server): Promise<Pick<ConformanceResult, "status">> {
    try {
      const { isMet, exchange, reason } = await check.run(server);
      const found = { ...this.#shown(exchange), ...(reason !== undefined && { reason: this.#text(reason) }) };
      return { status: isMet ? "passed" : "failed", ...found };
    } catch (thrown) {
      if (thrown instanceof NotApplicable) {
        return { status: "not applicable", ...{ reason: this.#text(thrown.message) } };
      }
      if (thrown instanceof ToolError) {
        return { status: "failed", ...{ reason: this.#text(`No response: ${thrown.message}`) } };
      }
      throw thrown;
    }
  }

  #shown({ sent, received }: ShownExchange): Pick<ConformanceResult, "sent" | "received"> {
    const [one, other] = [sent, received].map((text) => {
      // The first line is the method and path, or the status.
      const at = text.indexOf("\n");
      return at === -1 ? text : text.slice(0, at + 1) + this.#text(text.slice(at + 1));
    });
    return { sent: one ?? "", received: other ?? "" };
  }

  #text(text: string): string {
    const safe = String(this.redactor.value(text));
    return safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)}…` : safe;
  }
}

/** Longest text of a request or response in a report, in characters. */
const MAX_SHOWN = 2_000;

/** Returns the headers of the caller, and remembers their values as secrets. */
async function readHeaders(headers: HttpClientOptions["headers"], secrets: Set<string>): Promise<Headers> {
  const read = toHeaders(
    typeof headers === "function" ? await headersFor(headers, { signal: new AbortController().signal }) : headers,
  );
  for (const [, value] of read) {
    secrets.add(value);
    secrets.add(value.replace(/^\S+\s+/, ""));
  }
  return read;
}

/** The checks of MCP-lite on its bindings. */
function mcpLiteChecks(bench: SuiteBench): ConformanceCheck[] {
  const { target: { mcpLite, grpc, grpcWeb, webSocket }, sender, options } = bench;
  const http = mcpLite === undefined ? undefined : new McpLiteServer(new HttpBinding(sender, mcpLite), options);
  const onGrpc = (binding: "grpc" | "grpc-web", send: SendRpc) => {
    const server = new McpLiteServer(new GrpcBinding(send, sender.secrets), options, http);
    const checks = sorted([...COMPARISON_CHECKS, ...COMMON_CHECKS, ...GRPC_CHECKS]);
    return bench.checks(binding, MCP_LITE, server, checks, () => assertPermitted(server));
  };
  const onHttp = http === undefined ? [] : bench.checks(
    "http",
    MCP_LITE,
    http,
    sorted([...COMMON_CHECKS, ...HTTP_CHECKS, ...HTTP_STREAM_CHECKS, ...HTTP_ERROR_CHECKS]),
    () => assertPermitted(http),
  );
  return [
    ...onHttp,
    ...(grpc === undefined ? [] : onGrpc("grpc", grpcSender(grpc, bench.headers, bench.timeoutMs))),
    ...(webSocket === undefined ? [] : socketChecks(bench, webSocket, http)),
    ...(grpcWeb === undefined ? [] : onGrpc("grpc-web", grpcWebSender(sender, grpcWeb))),
  ];
}

function socketChecks(bench: SuiteBench, address: string | URL, http: McpLiteServer | undefined): ConformanceCheck[] {
  const { target, headers, timeoutMs, sender: { secrets }, options } = bench;
  const url = String(address).replace(/^http/i, "ws");
  const { openSocket: open = openNative } = target;
  const server = new McpLiteServer(new SocketBinding({ url, open, headers, timeoutMs, secrets }), options, http);
  const checks = sorted([...COMPARISON_CHECKS, ...COMMON_CHECKS]);
  return bench.checks("websocket", MCP_LITE, server, checks, () => assertPermitted(server));
}

function webtoolChecks(bench: SuiteBench): ConformanceCheck[] {
  const { target: { webtools: url }, sender, options } = bench;
  if (url === undefined) return [];
  const server = new WebtoolServer(sender, url, options);
  const all = [...WEBTOOL_METADATA_CHECKS, ...WEBTOOL_EXECUTION_CHECKS];
  const named = all.map((check) => ({ ...check, id: check.id.replace(`${check.section}-`, "webtools-") }));
  return bench.checks("webtools", WEBTOOLS, server, named, async () => {
    const { status, sent } = await server.metadata();
    const answer = `${sent} gives ${status}`;
    if (status === 401 || status === 403) {
      throw new ToolError("unauthenticated", `The metadata is not permitted: ${answer}`);
    }
    if (status === 404) throw new ToolError("unavailable", `No webtool answers: ${answer}`);
  });
}

/** Requests the list once. */
async function assertPermitted(server: McpLiteServer): Promise<void> {
  const { refusal, sent, received } = await server.list();
  const [place, status] = [sent, received].map((text) => text.split("\n")[0]);
  if (refusal === "denied") {
    throw new ToolError("unauthenticated", `The server does not permit its list to this caller: ${status}`);
  }
  if (refusal === "missing") {
    throw new ToolError("unavailable", `No server of MCP-lite answers: ${place} gives ${status}`);
  }
}

/** The checks by section: numbers first, then the appendix. */
function sorted<Server>(checks: readonly ServerCheck<Server>[]): ServerCheck<Server>[] {
  return checks.toSorted((one, other) => one.section.localeCompare(other.section, "en", { numeric: true }));
}
