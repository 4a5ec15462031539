/** Requests of the examination: raw HTTP, with headers that `fetch` does not let programs set, and with the start of the response. */
import { Buffer } from "node:buffer";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** A response to {@link probe}, with the start of its body. */
export interface Probed {
  readonly status: number;
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** At most 64 KiB of the body; of a stream, what arrived first. */
  readonly text: string;
}

/** Options of {@link probe}. Default method: GET. */
export interface ProbeRequest {
  readonly method?: "GET" | "POST" | "OPTIONS";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time limit, in milliseconds. */
  readonly timeoutMs: number;
}

const MAX_CHARS = 65_536;

/** Time that a stream has for its first event after the headers, in milliseconds. */
const STREAM_MS = 1_000;

/** Sends an HTTP request without following redirects. Rejects if no response arrives: with the system's error, or at the time limit. */
export function probe(url: URL, { method = "GET", headers = {}, body, timeoutMs }: ProbeRequest): Promise<Probed> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers: { ...headers, ...length }, agent: false });
    const timer = setTimeout(() => {
      reject(new Error(`No response within ${timeoutMs} ms`));
      request.destroy();
    }, timeoutMs);
    // Not once: a socket that is destroyed may fail, too.
    request.on("error", (thrown) => {
      clearTimeout(timer);
      reject(thrown);
    });
    request.once("response", (response) => {
      readStart(response, timeoutMs).then(resolve, reject).finally(() => {
        clearTimeout(timer);
        request.destroy();
      });
    });
    request.end(body);
  });
}

function readStart(response: IncomingMessage, timeoutMs: number): Promise<Probed> {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
  const isStream = /^text\/event-stream/i.test(headers["content-type"] ?? "");
  return new Promise((resolve) => {
    let text = "";
    const end = (): void => {
      clearTimeout(timer);
      resolve({ status: response.statusCode ?? 0, headers, text });
    };
    const timer = setTimeout(end, isStream ? Math.min(STREAM_MS, timeoutMs) : timeoutMs);
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk.slice(0, MAX_CHARS - text.length);
      // An event ends with an empty line.
      if (text.length >= MAX_CHARS || (isStream && /data:[^]*\n\r?\n/.test(text))) end();
    });
    for (const event of ["end", "error", "close"]) response.once(event, end);
  });
}
