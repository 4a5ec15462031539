/** Which server is checked, and which of its tools may be called. */
import type { HttpClientOptions } from "../../http_client/send.ts";
import type { Members } from "../../internal/json.ts";
import type { OpenSocket } from "../../wires/mcp_lite/websocket/client/transport.ts";
import { BOOLEAN, checkOptions, type OptionRules, rule, wholeNumber } from "../../internal/options.ts";

/** A server: the addresses of the bindings that are checked, at least one. */
export interface ConformanceTarget extends Pick<HttpClientOptions, "fetch" | "headers"> {
  /** Base URL of MCP-lite over HTTP: `https://example.com/mcp-lite/v1`. */
  readonly mcpLite?: string | URL | undefined;
  /** URL prefix of MCP-lite over gRPC-Web, whose messages are those of gRPC: `https://example.com`. */
  readonly grpcWeb?: string | URL | undefined;
  /** Address of MCP-lite over gRPC: `http://127.0.0.1:50051`. Needs Bun, Deno or Node. */
  readonly grpc?: string | URL | undefined;
  /** URL of MCP-lite over WebSocket: `wss://example.com/mcp-lite/v1`. Its messages are those of `toolwire/websocket`. */
  readonly webSocket?: string | URL | undefined;
  /** Replaces the global `WebSocket`. */
  readonly openSocket?: OpenSocket | undefined;
  /** URL of a webtool: `https://example.com/webtools/weather`. */
  readonly webtools?: string | URL | undefined;
}

/** A tool of the server: its name, or its name and arguments. Arguments that are left out are made of the tool's schema. */
export type NamedTool = string | {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
};

/** Which tools are called. A tool that is named here is called, whatever its annotations are. */
export interface ConformanceOptions {
  /** A tool that gives an answer. Default: the first tool with `readOnlyHint` that does. */
  readonly tool?: NamedTool | undefined;
  /** A tool that sends partial results. Default: the first tool with `readOnlyHint` that does. */
  readonly streamTool?: NamedTool | undefined;
  /** A tool that gives a promise. It is called twice. Default: the first tool with `readOnlyHint` that does. */
  readonly promiseTool?: NamedTool | undefined;
  /** A tool that asks its caller. Default: the first tool with `readOnlyHint` that does. */
  readonly questionTool?: NamedTool | undefined;
  /** A tool whose business logic refuses these arguments. Default: the first tool with `readOnlyHint` that does. */
  readonly failureTool?: NamedTool | undefined;
  /** A tool that ends with an internal error for these arguments. Default: none, and the checks of that do not apply. */
  readonly brokenTool?: NamedTool | undefined;
  /** A tool that takes longer than a millisecond, for the deadline of gRPC. Default: none, and the check does not apply. */
  readonly slowTool?: NamedTool | undefined;
  /** Whether tools without `readOnlyHint` may be called, too. Default: `false`. */
  readonly allowWrites?: boolean | undefined;
  /** Time limit of each request, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** Name of an option that chooses a tool, such as `promiseTool`. */
export type ToolRole = Exclude<keyof ConformanceOptions, "allowWrites" | "timeoutMs">;

const NAMED = rule("the name of a tool, or { name, arguments }", (value) => {
  return (typeof value === "string" ? value : (value as Members | undefined)?.["name"] ?? "") !== "";
});

const RULES: OptionRules<ConformanceOptions> = {
  tool: NAMED,
  streamTool: NAMED,
  promiseTool: NAMED,
  questionTool: NAMED,
  failureTool: NAMED,
  brokenTool: NAMED,
  slowTool: NAMED,
  allowWrites: BOOLEAN,
  timeoutMs: wholeNumber(1),
};

/** Validates the options. @throws {TypeError} If one is invalid or unknown. @throws {RangeError} If a number is out of range. */
export function assertConformanceOptions(options: ConformanceOptions): void {
  checkOptions("check a server", options, RULES);
}
