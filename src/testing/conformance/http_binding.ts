/** MCP-lite over HTTP, as the suite sends and reads it. */
import { SseDecoder, type SseEvent } from "../../http_client/sse.ts";
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import type { Binding, CallReply, ErrorReply, ListReply, StreamMessage, StreamReply } from "./binding.ts";
import type { ShownExchange } from "./check.ts";
import { type HttpReply, type HttpSender, parseOr } from "./send.ts";

/** Reply to a call over HTTP, with the HTTP response that it was read from. */
export interface HttpCallReply extends CallReply {
  readonly http: HttpReply;
}

/** Kinds of errors, by their numbers. A.5 has an unknown tool under the number of an unknown method. */
const ERROR_KINDS: Readonly<Record<number, ErrorReply["kind"]>> = {
  [-32601]: "not found",
  [-32602]: "invalid params",
  [-32603]: "internal",
};

/** Lists and calls the tools of one server by MCP-lite over HTTP, at the paths of section 4 or, if those do not answer, of the appendix. */
export class HttpBinding implements Binding {
  readonly sender: HttpSender;
  readonly secrets: Set<string>;
  readonly base: string;
  #callUrl: Promise<string> | undefined;
  #lastId = 0;

  constructor(sender: HttpSender, base: string | URL) {
    this.sender = sender;
    this.secrets = sender.secrets;
    this.base = String(base).replace(/\/$/, "");
  }

  async list(): Promise<ListReply> {
    const reply = await this.sender.sendJson(`${this.base}/listtools`, {});
    // The appendix has another path and another form.
    const other = Array.isArray(reply.json) ? undefined : await this.sender.sendJson(`${this.base}/tools`, {});
    const { sent, received, status, json } = isJsonObject(other?.json) ? other : reply;
    const tools = isJsonObject(json) ? json["tools"] : json;
    const isList = Array.isArray(tools) && tools.every(isJsonObject);
    const refusal = status === 401 || status === 403 ? "denied" : status === 404 ? "missing" : undefined;
    return { sent, received, tools: isList ? tools : undefined, refusal };
  }

  async call(tool: string, args: Members): Promise<HttpCallReply> {
    return readCall(await this.rpc(this.request(tool, args)));
  }

  async stream(tool: string, args: Members): Promise<StreamReply> {
    const reply = await this.rpc(this.request(tool, args), { accept: "text/event-stream" });
    const { sent, received } = reply;
    return { sent, received, messages: isOpenStream(reply) ? decodeEvents(reply.text) : undefined, isComplete: true };
  }

  async leaveStream(tool: string, args: Members): Promise<ShownExchange> {
    return await this.sender.send(await this.callUrl(), {
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(this.request(tool, args)),
      leavesEarly: true,
    });
  }

  /** A request of `tools/call`. */
  request(tool: string, args: Members): Members {
    const params = { name: tool, arguments: args };
    return { jsonrpc: "2.0", id: `conformance-${++this.#lastId}`, method: "tools/call", params };
  }

  /** Sends any JSON to the endpoint of calls. */
  async rpc(message: unknown, headers?: Readonly<Record<string, string>>): Promise<HttpReply> {
    return await this.sender.sendJson(await this.callUrl(), message, headers);
  }

  /** The endpoint of calls: `/calltools`, or `/rpc` of the appendix if nothing else answers in JSON-RPC. */
  callUrl(): Promise<string> {
    return (this.#callUrl ??= this.#findCallUrl());
  }

  async #findCallUrl(): Promise<string> {
    const [first, second] = [`${this.base}/calltools`, `${this.base}/rpc`] as const;
    for (const url of [first, second]) {
      const { json } = await this.sender.sendJson(url, { ...this.request("conformance_unknown_tool", {}), id: "path" });
      if (isJsonObject(json) && json["jsonrpc"] !== undefined) return url;
    }
    return first;
  }
}

/** Reads result, `_meta` and error from the HTTP response to a call. */
export function readCall(http: HttpReply): HttpCallReply {
  const { sent, received, json } = http;
  return { sent, received, http, ...readCallMessage(json) };
}

/** Reads result, `_meta` and error of a JSON-RPC response to a call; `undefined` for each that is absent or malformed. */
export function readCallMessage(message: unknown): Pick<CallReply, "result" | "meta" | "error"> {
  const { result, error } = asObject(message);
  const members = isJsonObject(result) ? result : undefined;
  const meta = isJsonObject(members?.["_meta"]) ? members["_meta"] : undefined;
  return { result: members, meta, error: isJsonObject(error) ? readError(error) : undefined };
}

function readError({ code, message }: Members): ErrorReply {
  return { kind: ERROR_KINDS[Number(code)] ?? "other", message: String(message) };
}

/** The member `code` of the JSON-RPC error in a response; `undefined` if there is no error. */
export function errorNumber({ json }: HttpReply): unknown {
  const error = isJsonObject(json) ? json["error"] : undefined;
  return isJsonObject(error) ? error["code"] : undefined;
}

/** Whether a response is a stream of events: status 200 and the content type `text/event-stream`. */
export function isOpenStream({ status, headers }: HttpReply): boolean {
  return status === 200 && /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

function decodeEvents(text: string): StreamMessage[] {
  return new SseDecoder().decode(text).map(toMessage);
}

const KINDS: Readonly<Record<string, StreamMessage["kind"]>> = {
  message: "partial",
  done: "last",
  error: "error",
  heartbeat: "heartbeat",
};

function toMessage({ event, data }: SseEvent): StreamMessage {
  const json = parseOr(data);
  const members = isJsonObject(json) ? json : undefined;
  const meta = isJsonObject(members?.["_meta"]) ? members["_meta"] : undefined;
  return { kind: Object.hasOwn(KINDS, event) ? KINDS[event]! : "unknown", name: event, data: members, meta };
}
