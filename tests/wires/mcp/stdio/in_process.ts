/** A server and its client at two pipes of one process: what stdio is, without a process. */
import type { Server } from "../../../../mod.ts";
import { parseMessages } from "../../../../src/wires/mcp/protocol/messages.ts";
import { type DuplexConnection, DuplexTransport } from "../../../../src/wires/mcp/client/duplex_transport.ts";
import { McpClientTransport } from "../../../../src/wires/mcp/client/transport.ts";
import type { McpClientOptions, McpTransport } from "../../../../src/wires/mcp/client/types.ts";
import { LineReader } from "../../../../src/wires/mcp/stdio/client/line_reader.ts";
import { mcpDuplex } from "../../../../src/wires/mcp/server/duplex.ts";
import { serveLines } from "../../../../src/wires/mcp/stdio/server/serve_lines.ts";
import type { DuplexWire } from "../../../../src/entries/wire.ts";

/** What goes through a pipe, in the order in which it was put in. */
export class Pipe implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #isOver = false;
  #wake: () => void = () => {};

  put(piece: string | Uint8Array): void {
    this.#waiting.push(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) yield piece;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const MAX_LINE = 67_108_864;

/** Opens both ends: what is written is cut in the middle, of characters, too. */
export function openStdio(
  server: Server,
  options: McpClientOptions,
  wire: DuplexWire = mcpDuplex(),
  maxUnreadChars?: number,
): { readonly transport: McpTransport; close(): Promise<void> } {
  const encoder = new TextEncoder();
  const served: Promise<void>[] = [];
  const carrier = new DuplexTransport((end) => {
    const input = new Pipe();
    const reader = new LineReader(MAX_LINE);
    const write = (line: string) => {
      const bytes = encoder.encode(`${line}\n`);
      const middle = bytes.length >> 1;
      for (const piece of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
        const messages = (reader.read(piece) ?? []).flatMap(parseMessages);
        // As a pipe does: not while it is written to.
        queueMicrotask(() => end.receive(messages));
      }
    };
    let isOver = false;
    const line: DuplexConnection = {
      get isClosed() {
        return isOver;
      },
      write(text) {
        const bytes = encoder.encode(`${text}\n`);
        const middle = bytes.length >> 1;
        input.put(bytes.subarray(0, middle));
        input.put(bytes.subarray(middle));
        return Promise.resolve(undefined);
      },
      close() {
        isOver = true;
        input.end();
      },
    };
    served.push(serveLines(wire, server["~server"].host, { input, write, graceMs: 0 }));
    return Promise.resolve(line);
  });
  const transport = new McpClientTransport({
    name: "in process",
    transport: carrier,
    probeTimeoutMs: 30_000,
    maxUnreadChars,
  }, options);
  return {
    transport,
    async close() {
      transport.close();
      await Promise.all(served);
    },
  };
}
