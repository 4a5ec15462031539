/** HTTP/1.1 by hand, over one connection that is kept: what measures a server has to cost little itself. */
import { connect, type Socket } from "node:net";

/** One connection. */
export class KeepAlive {
  readonly #socket: Socket;
  #text = "";
  #waiting: PromiseWithResolvers<string> | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("data", (text: string) => this.#take(text));
    const fail = (error?: unknown) => this.#waiting?.reject(error ?? new Error(`It closed after: ${this.#text}`));
    socket.on("error", fail).on("close", () => fail());
  }

  /** Opens one. */
  static async open(url: string): Promise<KeepAlive> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new KeepAlive(socket);
  }

  /** Sends a request, and gives its answer: head and body, chunked as it came. One at a time. */
  ask(request: string): Promise<string> {
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  /** Sends something, and leaves without waiting. */
  leave(request: string): void {
    this.#socket.write(request, () => this.#socket.destroy());
  }

  /** Closes it. */
  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const end = endOf(this.#text);
    if (end === undefined) return;
    const answer = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    this.#waiting?.resolve(answer);
  }
}

/** Where an answer ends; `undefined` if it has not. */
function endOf(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return undefined;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head)) ?? [];
  if (length !== undefined) return text.length >= head + 4 + Number(length) ? head + 4 + Number(length) : undefined;
  if (!/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, head))) return head + 4;
  const end = text.indexOf("\r\n0\r\n\r\n", head + 2);
  return end === -1 ? undefined : end + 7;
}

/** A POST of JSON, as text. */
export function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(body);
  const all = {
    host: "localhost",
    "content-type": "application/json",
    "content-length": String(text.length),
    ...headers,
  };
  return `POST ${path} HTTP/1.1\r\n${
    Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  }\r\n${text}`;
}
