/** Every way to call a server by a client of its wire: the rows of the wires' matrix, and pipes. */
import { createClient, type Server, ToolError } from "../../mod.ts";
import type { Outcome, UnknownOutcome } from "../../src/core/call/outcome.ts";
import { StdioConnection } from "../../src/wires/mcp/stdio/server/connection.ts";
import { LineSplitter } from "../../src/wires/mcp/stdio/server/lines.ts";
import { WIRES } from "../wires/matrix.ts";
import type { Column, Place } from "./guarantee.ts";

/** How a call ended. */
export type Said =
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "failure" | "error"; readonly code: string; readonly message: string; readonly data?: unknown }
  | { readonly kind: "other"; readonly what: string };

/** Who calls. */
export interface Caller {
  /** Calls a tool. */
  call(tool: string, args?: unknown, options?: CallerOptions): Promise<Said>;
  /** Calls a tool that streams: its pieces, and how it ended. `undefined` where pieces are none of the protocol's. */
  readonly stream: ((tool: string, args?: unknown) => Promise<{ pieces: readonly unknown[]; said: Said }>) | undefined;
}

/** What goes with a call. */
export interface CallerOptions {
  readonly timeoutMs?: number;
  readonly onProgress?: (progress: { readonly message?: string }) => void;
}

/** A server, and who calls it. */
export interface Calling {
  readonly server: Server;
  readonly caller: Caller;
}

const COLUMN_OF: readonly (readonly [prefix: string, column: Column])[] = [
  ["memory", "memory"],
  ["http", "MCP-lite"],
  ["connect", "Connect"],
  ["gRPC-Web", "gRPC-Web"],
  ["gRPC", "gRPC"],
  ["webtools", "Webtools"],
  ["mcp", "MCP"],
  ["stdio", "stdio"],
];

/** Every way. `create` makes what is called: it speaks `wires` of the matrix. */
export function callers(create: () => Server): readonly Place<Calling>[] {
  return [...rows(create), callerByPipe(create)];
}

function rows(create: () => Server): Place<Calling>[] {
  return WIRES.map((row) => ({
    column: COLUMN_OF.find(([prefix]) => row.name.startsWith(prefix))?.[1] as Column,
    where: row.name,
    skip: row.skip,
    async open() {
      const server = create();
      const { transport, close } = await row.open(server);
      const client = createClient(transport, { retry: { attempts: 0 } });
      const caller: Caller = {
        call: (tool, args, options) => saidOf(client.$.outcome(tool, args, options)),
        stream: row.lacks?.includes("pieces of answers") ? undefined : async (tool, args) => {
          const stream = client.$.stream(tool, args);
          const pieces: unknown[] = [];
          const said = stream.result.then((value): Said => ({ kind: "answer", value }), saidOfThrown);
          try {
            for await (const piece of stream) pieces.push(piece);
          } catch {
            // It is told as how the call ended.
          }
          return { pieces, said: await said };
        },
      };
      return {
        server,
        caller,
        async [Symbol.asyncDispose]() {
          transport.close?.();
          await close();
          await server.close(0);
        },
      };
    },
  }));
}

async function saidOf(calling: Promise<Outcome | UnknownOutcome>): Promise<Said> {
  try {
    const outcome = await calling;
    if (outcome.kind === "answer") return { kind: "answer", value: outcome.value };
    if (outcome.kind !== "failure") return { kind: "other", what: JSON.stringify(outcome) };
    const { kind, code, message, data } = outcome;
    return { kind, code, message, data };
  } catch (thrown) {
    return saidOfThrown(thrown);
  }
}

function saidOfThrown(thrown: unknown): Said {
  if (!(thrown instanceof ToolError)) throw thrown;
  return { kind: "error", code: thrown.code, message: thrown.message, data: thrown.details };
}

/** A message, as pipes carry it. */
export interface Line {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  // deno-lint-ignore no-explicit-any -- what a test asserts is the shape
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The two ends of a pipe, without a process between them. */
export class Pipe {
  readonly lines: Line[] = [];
  readonly server: Server;
  readonly connection: StdioConnection;
  readonly #splitter: LineSplitter;
  #arrival: PromiseWithResolvers<void> = Promise.withResolvers();
  #nextId = 0;

  constructor(server: Server) {
    this.server = server;
    this.#splitter = new LineSplitter(server.limits.bodyBytes);
    this.connection = new StdioConnection(server["~server"].host, {}, (line) => {
      this.lines.push(JSON.parse(line) as Line);
      this.#arrival.resolve();
      this.#arrival = Promise.withResolvers();
    });
  }

  /** Takes bytes, as they come. */
  feed(bytes: Uint8Array): void {
    this.#splitter.push(bytes).forEach((line) => this.connection.receive(line));
  }

  /** The first message that is like that, once it is there. */
  async find(isIt: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(isIt);
      if (found !== undefined) return found;
      await this.#arrival.promise;
    }
  }

  /** Calls a tool; `args` is JSON text. */
  async call(tool: string, args: string, meta: Readonly<Record<string, unknown>> = {}): Promise<Line> {
    const id = `call ${this.#nextId++}`;
    this.connection.receive(callLine(id, tool, args, meta));
    return await this.find((line) => line.id === id);
  }
}

/** A call as a line; `args` is JSON text. */
export function callLine(
  id: unknown,
  tool: string,
  args: string,
  meta: Readonly<Record<string, unknown>> = {},
): string {
  const _meta = JSON.stringify({ ...META, ...meta });
  const params = `{"name":${JSON.stringify(tool)},"arguments":${args},"_meta":${_meta}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}`;
}

/** How a call ended, by its message. */
export function saidOfLine({ result, error }: Line): Said {
  if (error !== undefined) {
    return { kind: "error", code: error.data?.code ?? String(error.code), message: error.message };
  }
  const text: string = result.content?.[0]?.text ?? "";
  const meta = result._meta ?? {};
  if (result.isError === true) {
    return { kind: meta.response_type === "failure" ? "failure" : "error", code: meta.code, message: text };
  }
  return { kind: "answer", value: result.structuredContent };
}

/** A server, at the other end of a pipe. */
export function pipes(create: () => Server): Place<Pipe> {
  return {
    column: "stdio",
    where: "stdio, in process",
    open() {
      const server = create();
      const pipe = new Pipe(server);
      const close = () => {
        pipe.connection.abort();
        return server.close(0);
      };
      return Promise.resolve(Object.assign(pipe, { [Symbol.asyncDispose]: close }));
    },
  };
}

function callerByPipe(create: () => Server): Place<Calling> {
  const place = pipes(create);
  return {
    ...place,
    async open() {
      const pipe = await place.open();
      return { server: pipe.server, caller: callerOf(pipe), [Symbol.asyncDispose]: () => pipe[Symbol.asyncDispose]() };
    },
  };
}

function callerOf(pipe: Pipe): Caller {
  return {
    call: async (tool, args = {}, { onProgress, timeoutMs } = {}) => {
      const meta = {
        ...(onProgress !== undefined && { progressToken: "p" }),
        ...(timeoutMs !== undefined && { deadline_ms: timeoutMs }),
      };
      const before = pipe.lines.length;
      const said = saidOfLine(await pipe.call(tool, JSON.stringify(args), meta));
      for (const { method, params } of pipe.lines.slice(before)) {
        if (method === "notifications/progress") onProgress?.(params ?? {});
      }
      return said;
    },
    stream: undefined,
  };
}
