/** What the servers of two fences are asked: the same, of both, over MCP. */
import { type Json, type Message, post, type Reply, StreamReader } from "../../wires/mcp/server/client.ts";

/** What a fence exports. */
export interface Peer {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Asks a server whatever there is to compare, and gives what is to be the same. */
export type Comparison = (peer: Peer) => Promise<unknown>;

/** How a caller answers questions, by method. */
export type Answers = Readonly<Record<string, Json>>;

/** A client of an older revision, in a session where the server has one. */
export class Caller {
  readonly #peer: Peer;
  readonly #version: string;
  #session: string | undefined;
  #nextId = 0;

  constructor(peer: Peer, version: string) {
    this.#peer = peer;
    this.#version = version;
  }

  /** The id of its session; `undefined` without a session. */
  get session(): string | undefined {
    return this.#session;
  }

  /** Begins; gives what the server says of itself. */
  async begin(capabilities: Json = {}): Promise<Json> {
    const params = { protocolVersion: this.#version, capabilities, clientInfo: { name: "tests", version: "1.0.0" } };
    const { last, headers } = await this.ask("initialize", params);
    this.#session = headers.get("mcp-session-id") ?? undefined;
    await (await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" })).body?.cancel();
    return last.result ?? {};
  }

  /** Sends a request, answers the server's questions meanwhile, and returns all messages of the server. */
  async ask(method: string, params: Json = {}, answers: Answers = {}): Promise<Reply> {
    const id = ++this.#nextId;
    const response = await this.#post({ jsonrpc: "2.0", id, method, params });
    const { status, headers } = response;
    if (headers.get("content-type")?.startsWith("text/event-stream") !== true) {
      const text = await response.text();
      const last = text === "" ? {} : JSON.parse(text) as Message;
      return { status, headers, messages: [last], last };
    }
    const reader = new StreamReader(response);
    const messages: Message[] = [];
    for (;;) {
      const message = await reader.nextMessage();
      messages.push(message);
      if (message.method === undefined && message.id === id) break;
      if (message.id === undefined || message.method === undefined) continue;
      const result = answers[message.method] ?? {};
      await (await this.#post({ jsonrpc: "2.0", id: message.id, result })).body?.cancel();
    }
    await reader.cancel();
    return { status, headers, messages, last: messages.at(-1) ?? {} };
  }

  /** Calls a tool; gives its result, or the error. */
  async call(name: string, args: Json = {}, answers: Answers = {}): Promise<Json> {
    const { last } = await this.ask("tools/call", { name, arguments: args }, answers);
    return last.result ?? { error: last.error };
  }

  /** Lists what there is of a kind; gives these members of each, sorted by name. */
  async list(method: string, ...members: readonly string[]): Promise<readonly Json[]> {
    const { last } = await this.ask(method);
    const [list = []] = Object.values(last.result ?? {}).filter(Array.isArray) as Json[][];
    return list.map((listed) => pick(listed, ...members));
  }

  #post(message: Json): Promise<Response> {
    return post(this.#peer, message, {
      ...(message["method"] !== "initialize" && { "mcp-protocol-version": this.#version }),
      "mcp-session-id": this.#session,
    });
  }
}

/** Members of an object that are there. */
export function pick(from: Json, ...members: readonly string[]): Json {
  return Object.fromEntries(members.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
}
