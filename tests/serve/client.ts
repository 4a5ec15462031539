/** Requests as they are on the wire, without our client. */
import { connect } from "node:net";

/** How a request differs from a plain POST of JSON. */
export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The body of a `tools/call`. */
export function callBody(name: string, args: unknown = {}, id: string | number = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
}

/** Posts to an endpoint under `/mcp-lite/v1`. */
export function post(
  url: string,
  endpoint: string,
  body: BodyInit,
  { headers, signal }: PostOptions = {},
): Promise<Response> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    ...(signal !== undefined && { signal }),
  };
  return fetch(`${url}/mcp-lite/v1${endpoint}`, init);
}

/** Calls a tool and gives the whole JSON-RPC response. */
// deno-lint-ignore no-explicit-any -- what a test asserts is the shape
export async function call(url: string, name: string, args: unknown = {}): Promise<any> {
  return await (await post(url, "/calltools", callBody(name, args))).json();
}

/** Starts a streamed call. */
export function stream(url: string, name: string, args: unknown = {}, options: PostOptions = {}): Promise<Response> {
  return post(url, "/calltools", callBody(name, args), {
    ...options,
    headers: { accept: "text/event-stream", ...options.headers },
  });
}

/** One event of a stream. */
export interface StreamedEvent {
  readonly event: string;
  // deno-lint-ignore no-explicit-any -- what a test asserts is the shape
  readonly data: any;
}

/** Reads the events of whole stream text. */
export function readEvents(text: string): StreamedEvent[] {
  return text.split("\n\n").filter((block) => block !== "").map((block) => {
    const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
    return { event, data: JSON.parse(data) };
  });
}

/** Events as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamedEvent, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    const blocks = (text + decoder.decode(bytes, { stream: true })).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield* readEvents(block);
  }
}

/** Waits. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What came back over a raw connection; the status is 0 if nothing did. */
export interface RawReply {
  readonly status: number;
  readonly text: string;
}

/** A request, byte by byte: for what no client library would send. Reads until the connection ends or is quiet. */
export function sendRaw(
  url: string,
  request: string | Uint8Array | readonly (string | Uint8Array)[],
  quietMs: number = 400,
): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const pieces = typeof request === "string" || request instanceof Uint8Array ? [request] : request;
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.\d (\d+)/.exec(text)?.[1] ?? 0), text });
    };
    let timer = setTimeout(end, 5_000);
    socket.on("data", (data) => {
      text += data.toString("latin1");
      clearTimeout(timer);
      timer = setTimeout(end, quietMs);
    });
    socket.once("close", end);
    socket.on("error", () => {});
    socket.once("connect", () => pieces.forEach((piece) => socket.write(piece)));
  });
}

/** Whether a new connection is refused. */
export function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}
