/** Raw MCP over `server.fetch`: requests as text, answers as they come. */
import type { Server } from "../../../../mod.ts";

export type Json = Readonly<Record<string, unknown>>;

export const VERSION = "io.modelcontextprotocol/protocolVersion";
export const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const TASKS = "io.modelcontextprotocol/tasks";

/** An answer over HTTP. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Every message, in order: one for JSON, all events of a stream. */
  readonly messages: readonly Message[];
  /** The last one. */
  readonly last: Message;
}

/** One message. */
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

const NAMES: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

let nextId = 0;

/** Posts a body. */
export function post(
  server: Pick<Server, "fetch">,
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return server.fetch(new Request("http://localhost/mcp", { method: "POST", headers: given, body: text }));
}

/** A request of 2026-07-28, with all that it needs. */
export function modernBody(method: string, params: Json = {}, capabilities: Json = {}, meta: Json = {}): Json {
  const _meta = { [VERSION]: "2026-07-28", [CAPABILITIES]: capabilities, ...meta };
  return { jsonrpc: "2.0", id: ++nextId, method, params: { ...params, _meta } };
}

/** The headers that go with it. */
export function modernHeaders({ method, params }: Json): Record<string, string> {
  const name = (params as Json)[NAMES[String(method)] ?? ""];
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": String(method),
    ...(typeof name === "string" && { "mcp-name": name }),
  };
}

/** Asks in 2026-07-28. */
export async function modern(
  server: Pick<Server, "fetch">,
  method: string,
  params: Json = {},
  { capabilities = {}, meta = {}, headers = {} }: {
    readonly capabilities?: Json;
    readonly meta?: Json;
    readonly headers?: Readonly<Record<string, string | undefined>>;
  } = {},
): Promise<Reply> {
  const body = modernBody(method, params, capabilities, meta);
  return await read(await post(server, body, { ...modernHeaders(body), ...headers }));
}

/** Calls a tool in 2026-07-28; gives the result, or throws. */
export async function callModern(
  server: Pick<Server, "fetch">,
  name: string,
  args: Json = {},
  options: Parameters<typeof modern>[3] & { readonly more?: Json } = {},
): Promise<Json> {
  const { last } = await modern(server, "tools/call", { name, arguments: args, ...options.more }, options);
  if (last.result === undefined) throw new Error(JSON.stringify(last));
  return last.result;
}

/** Asks in an older revision, without a session or with one. */
export async function legacy(
  server: Pick<Server, "fetch">,
  method: string,
  params: Json = {},
  { version = "2025-11-25", session, headers = {}, id = ++nextId }: {
    readonly version?: string;
    readonly session?: string | undefined;
    readonly headers?: Readonly<Record<string, string | undefined>>;
    readonly id?: string | number;
  } = {},
): Promise<Reply> {
  const response = await post(server, { jsonrpc: "2.0", id, method, params }, {
    ...(method !== "initialize" && { "mcp-protocol-version": version }),
    ...(session !== undefined && { "mcp-session-id": session }),
    ...headers,
  });
  return await read(response);
}

/** Begins in an older revision; gives the answer and the session's id, if there is one. */
export async function initialize(
  server: Pick<Server, "fetch">,
  version: string = "2025-11-25",
  capabilities: Json = {},
): Promise<{ readonly result: Json; readonly session: string | undefined }> {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: "tests", version: "1.0.0" } };
  const { last, headers } = await legacy(server, "initialize", params);
  return { result: last.result ?? {}, session: headers.get("mcp-session-id") ?? undefined };
}

/** Reads an answer to its end. */
export async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const messages = isStream ? eventsOf(text) : text === "" ? [] : [JSON.parse(text) as Message];
  return { status: response.status, headers: response.headers, messages, last: messages.at(-1) ?? {} };
}

function eventsOf(text: string): Message[] {
  return text.split("\n\n").flatMap((block) => {
    const data = /^data: (.+)$/m.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as Message];
  });
}

/** One event of an open stream. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly message: Message | undefined;
}

/** Reads a stream as it comes. */
export class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error("There is no stream");
    this.#reader = response.body.getReader();
  }

  /** The next event; `undefined` at the end. */
  async next(): Promise<StreamEvent | undefined> {
    const block = await this.nextBlock();
    if (block === undefined) return undefined;
    const data = /^data: (.+)$/m.exec(block)?.[1];
    const id = /^id: (.+)$/m.exec(block)?.[1];
    return { id, message: data === undefined ? undefined : JSON.parse(data) as Message };
  }

  /** The next event as it is written; `undefined` at the end. Comments are passed over. */
  async nextBlock(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (!block.startsWith(":")) return block;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next event that is a message. */
  async nextMessage(): Promise<Message> {
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error("The stream has ended");
      if (event.message !== undefined) return event.message;
    }
  }

  /** Reads no more. */
  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}

/** The text of a result that has no structured content, as that of a tool without a declared output; otherwise the result as JSON. */
export function textOf(result: Json | undefined): string {
  const { content, structuredContent } = result ?? {};
  const [block] = (content ?? []) as readonly Json[];
  return structuredContent === undefined ? String(block?.["text"]) : JSON.stringify(result);
}
