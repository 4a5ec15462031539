/** The requests of the suite: raw HTTP by `fetch`, with the whole response, or its start. */
import { toToolError } from "../../core/call/outcome.ts";
import { withTimeLimit } from "../../core/call/time_limit.ts";
import { exchange, type HttpClientOptions } from "../../http_client/send.ts";
import { readBytes } from "../../http_client/read.ts";
import { joinChunks } from "../../internal/chunks.ts";
import type { ShownExchange } from "./check.ts";

/** An HTTP response that was read: its body, or the start of it, as bytes, text and JSON. */
export interface HttpReply extends ShownExchange {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly json: unknown;
}

/** Parts of a request other than its URL. */
export interface HttpRequestOptions {
  /** Default: `POST`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Text of the body for the report, if it is not text. */
  readonly shown?: string;
  /** Whether the connection is closed after the first bytes of the body. */
  readonly leavesEarly?: boolean;
}

/** Largest response that is read, in bytes. */
const MAX_BYTES = 16_777_216;

/** Headers that begin or continue a session. */
const SESSION_HEADERS = ["set-cookie", "mcp-session-id"];

/** Tokens in the text of a response. */
const TOKEN = /"(?:promise_token|continuation|context)"\s*:\s*"([^"]+)"/g;

/** Sends HTTP requests to one server with a time limit, and collects secrets that reports must not contain. */
export class HttpSender {
  /** Replies with a header of a session. */
  readonly sessions: HttpReply[] = [];
  /** Values that a report must not contain. Tokens of responses are added. */
  readonly secrets: Set<string>;
  readonly #options: HttpClientOptions;
  readonly #timeoutMs: number;

  /** @param timeoutMs Time limit of each request, in milliseconds. */
  constructor(options: Pick<HttpClientOptions, "fetch" | "headers">, timeoutMs: number, secrets: Set<string>) {
    this.secrets = secrets;
    this.#options = { ...options, maxResponseBytes: MAX_BYTES };
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request and reads the response, or its start with `leavesEarly`. @throws {ToolError} If there is no response in time. */
  async send(url: string, request: HttpRequestOptions): Promise<HttpReply> {
    const { method = "POST", headers = {}, body, shown, leavesEarly = false } = request;
    const reply = await withTimeLimit(this.#timeoutMs, (monitor) => {
      return exchange(
        { method, url, headers, body, returnsRedirect: true },
        this.#options,
        monitor,
        async (response) => {
          const chunks: Uint8Array[] = [];
          for await (const chunk of readBytes(response, monitor, MAX_BYTES)) {
            chunks.push(chunk);
            if (leavesEarly) break;
          }
          const sent = `${method} ${new URL(url).pathname}\n${shown ?? (typeof body === "string" ? body : "")}`.trim();
          return toReply(sent, response, joinChunks(chunks));
        },
      );
    });
    if ("kind" in reply) throw toToolError(reply);
    rememberTokens(reply.text, this.secrets);
    if (SESSION_HEADERS.some((name) => reply.headers.has(name))) this.sessions.push(reply);
    return reply;
  }

  /** Sends a JSON value, with the content type of JSON. */
  sendJson(url: string, value: unknown, headers: Readonly<Record<string, string>> = {}): Promise<HttpReply> {
    const body = JSON.stringify(value);
    return this.send(url, { headers: { "content-type": "application/json", ...headers }, body });
  }
}

function toReply(sent: string, { status, headers }: Response, bytes: Uint8Array<ArrayBuffer>): HttpReply {
  const text = new TextDecoder().decode(bytes);
  const received = `${status} ${headers.get("content-type") ?? ""}\n${text}`.trim();
  return { sent, received, status, headers, bytes, text, json: parseOr(text) };
}

/** Parses JSON. `undefined` if the text is not JSON. */
export function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a response is JSON in UTF-8, by its content type. */
export function isUtf8Json({ headers }: HttpReply): boolean {
  return /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers.get("content-type") ?? "");
}

/** Adds the tokens in the text of a response to the values that a report must not contain. */
export function rememberTokens(text: string, secrets: Set<string>): void {
  for (const [, token = ""] of text.matchAll(TOKEN)) secrets.add(token);
}
