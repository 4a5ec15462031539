/**
 * A real server on Deno whose client does not answer the close of its WebSocket. Deno has no way to end such a connection: it counts until
 * the client has disconnected, and ends with the server. So no client has more sockets than the limit, counted or not.
 */
import { match, ok, strictEqual } from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { createClient } from "../../../mod.ts";
import { findProgram, startProgram, testWith } from "../../serve/programs.ts";

/** A masked frame of a binary message, which the server answers with a close. */
const BINARY = Uint8Array.from([0x82, 0x81, 0, 0, 0, 0, 1]);
/** First byte of a close frame. */
const CLOSE = 0x88;

/** A client that reads, and sends nothing by itself: neither pongs nor the answer to a close. */
class SilentClient {
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #watchers = new Set<() => void>();
  #received = "";

  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("error", () => {}).setEncoding("latin1").on("data", (text: string) => {
      this.#received += text;
      for (const look of this.#watchers) look();
    });
    this.closed = new Promise((resolve) => this.#socket.once("close", () => resolve()));
    const headers = ["upgrade: websocket", "connection: Upgrade", "sec-websocket-version: 13"];
    const own = ["sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-protocol: mcp-lite.v1"];
    this.#socket.write([`GET /mcp-lite/v1 HTTP/1.1`, `host: ${host}`, ...headers, ...own, "", ""].join("\r\n"));
  }

  /** The status of the handshake. */
  async status(): Promise<number> {
    await this.#until(() => this.#received.includes("\r\n\r\n"));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.#received)?.[1]);
  }

  /** Sends what ends the connection, and resolves when the close of the server has arrived. */
  async provoke(): Promise<void> {
    const before = this.#received.length;
    this.#socket.write(BINARY);
    await this.#until(() => this.#received.charCodeAt(before) === CLOSE);
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (condition()) resolve();
      };
      this.#watchers.add(look);
      void this.closed.then(() => reject(new Error(`The connection was closed after: ${this.#received}`)));
      look();
    });
  }
}

/** Whether the server accepts one more socket, which is closed again. */
async function hasRoom(url: string): Promise<boolean> {
  const client = new SilentClient(url);
  try {
    return await client.status() === 101;
  } finally {
    client.destroy();
  }
}

testWith("a socket that Deno cannot end counts until its client has disconnected, and ends with the server", [
  findProgram("deno"),
], async (deno) => {
  const program = [deno, "run", "-A", "--quiet", "--no-check", "tests/wires/websocket/few_sockets_program.ts"];
  await using server = await startProgram(program);
  match(server.url, /^http/);
  const clients = [new SilentClient(server.url), new SilentClient(server.url)] as const;
  try {
    for (const client of clients) {
      strictEqual(await client.status(), 101);
      await client.provoke();
    }
    // Longer than the time that a client has for its answer.
    const { $ } = createClient(`${server.url}/mcp-lite/v1`);
    await $.call("pass");
    $.close();
    ok(clients.every(({ isOpen }) => isOpen));
    strictEqual(await hasRoom(server.url), false);
    clients[0].destroy();
    let tries = 0;
    while (!await hasRoom(server.url)) {
      ok(++tries < 500, "The place of a client that has disconnected is not free");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    server.signal("SIGTERM");
    await clients[1].closed;
  } finally {
    for (const client of clients) client.destroy();
  }
});
