/** A server whose list and answers the test sets. */
import type { CallResult, ListedTool, Logger, UnknownOutcome } from "../../../mod.ts";
import type { Sink, Transport, TransportCall } from "../../../src/entries/wire.ts";

type Answer = (
  call: TransportCall,
  sink: Sink | undefined,
) => CallResult | UnknownOutcome | Promise<CallResult | UnknownOutcome>;

/** A transport to nowhere, with what went over it. */
export interface Scripted extends Transport {
  /** What is listed from now on. */
  listed: unknown;
  /** What calls come to from now on. */
  answer: Answer;
  /** Calls that were made. */
  readonly calls: TransportCall[];
  /** Whether it was closed. */
  isClosed: boolean;
}

/** One tool, as plain as can be. */
export function listing(name: string, members: Readonly<Record<string, unknown>> = {}): ListedTool {
  return { name, description: `The tool ${name}`, inputSchema: { type: "object" }, ...members };
}

/** Makes one. */
export function scripted(listed: unknown, answer: Answer = () => ({ kind: "answer", value: "ok" })): Scripted {
  const calls: TransportCall[] = [];
  return {
    listed,
    answer,
    calls,
    isClosed: false,
    list() {
      return this.listed as readonly ListedTool[];
    },
    call(call, sink) {
      calls.push(call);
      return this.answer(call, sink);
    },
    close() {
      this.isClosed = true;
    },
  };
}

/** A logger that keeps its entries. */
export function keepingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(`${message} ${JSON.stringify(fields ?? {})} ${String(fields?.["error"] ?? "")}`);
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

/** Calls the tool `ping` by MCP-lite, without a client in between. */
export function postPing(server: { fetch(request: Request): Promise<Response> }): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping"}}';
  return server.fetch(new Request("http://localhost/mcp-lite/v1/calltools", { method: "POST", headers, body }));
}
