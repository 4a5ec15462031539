/** MCP over a pipe, line by line, without a process at its other end. */
import type { Server } from "../../../mod.ts";
import { joinChunks } from "../../../src/internal/chunks.ts";
import { mcpDuplex } from "../../../src/wires/mcp/server/duplex.ts";
import { LineSplitter } from "../../../src/wires/mcp/stdio/server/lines.ts";
import { MemoryConnection } from "../memory_connection.ts";
import type { Dialect, Place, Sending } from "./description.ts";
import { encodeText, jsonOf, MCP_META, readMcp, rpcCall } from "./raw_messages.ts";
import { textOf } from "../grpc/frames.ts";

/** A message, as pipes carry it. */
export interface Line {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  // deno-lint-ignore no-explicit-any -- what a test asserts is the shape
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } };
}

/** The two ends of a pipe, without a process between them. */
export class Pipe {
  readonly lines: Line[] = [];
  readonly server: Server;
  readonly connection: MemoryConnection;
  readonly #splitter: LineSplitter;
  #arrival: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(server: Server) {
    this.server = server;
    this.#splitter = new LineSplitter(server.limits.bodyBytes);
    this.connection = new MemoryConnection(mcpDuplex(), server["~server"].host, (line) => {
      this.lines.push(JSON.parse(line) as Line);
      this.#arrival.resolve();
      this.#arrival = Promise.withResolvers();
    });
  }

  /** Takes bytes, as they come. */
  feed(bytes: Uint8Array): void {
    for (const line of this.#splitter.push(bytes)) {
      this.connection.receive(line, typeof line === "string" ? undefined : line.start);
    }
  }

  /** The first message that is like that, once it is there. */
  async find(isIt: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(isIt);
      if (found !== undefined) return found;
      await this.#arrival.promise;
    }
  }
}

/** Lines as requests: a request is a line, and has neither path nor headers. */
export const lineDialect: Dialect = {
  call(tool, args) {
    const [before = "", after = ""] = JSON.stringify(rpcCall(tool, { _meta: MCP_META })).split('"ARGUMENTS"');
    const body = joinChunks([encodeText(before), jsonOf(args), encodeText(`${after}\n`)]);
    return { path: "", headers: {}, body };
  },
  read: ({ body }) => readMcp(JSON.parse(textOf(body))),
  hasIds: true,
};

/** Sends each request over its own pipe to the same server. */
export function pipeSenders(column: string, create: () => Server, dialect: Dialect): readonly Place<Sending>[] {
  return [{
    column,
    where: `${column}, in process`,
    open() {
      const server = create();
      return Promise.resolve({
        server,
        dialect,
        async send({ body }) {
          const pipe = new Pipe(server);
          pipe.feed(body);
          const line = await pipe.find(({ method }) => method === undefined);
          pipe.connection.abort();
          return { status: 200, headers: new Headers(), body: encodeText(JSON.stringify(line)) };
        },
        [Symbol.asyncDispose]: () => server.close(0),
      });
    },
  }];
}
