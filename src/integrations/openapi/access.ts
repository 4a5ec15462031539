/** Access to an API: its base URL, the headers of every request, and the decoding of responses. */
import { asObject, isJsonObject } from "../../internal/json.ts";
import { addRetryAfter, cancelBody, isRedirect, readText } from "../../http_client/read.ts";
import { isTooDeep } from "../../core/call/parse_answer.ts";
import { monitorFromSignal } from "../../core/call/time_limit.ts";
import type { OutgoingCall } from "../../core/call/transport.ts";
import { exchange, headersFor, type HeadersFunction, type HeaderValues, toHeaders } from "../../http_client/send.ts";
import { errorResult, toToolError } from "../../core/call/outcome.ts";
import { ImportError, type OpenApiDocument } from "./document.ts";
import { type ApiRequest, isJsonType } from "./input.ts";
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { shorten } from "../../internal/text.ts";

/** Headers that are sent to the API with every request, or a function that returns them for each call of a tool. */
export type OpenApiHeaders = HeaderValues | HeadersFunction;

/** Sends a request to the API, as `fetch` does: takes the URL and its options, and resolves to the response. */
export type FetchApi = (url: string, init: RequestInit) => Promise<Response>;

/** Options of an import that decide where its requests go and what they carry. */
interface AccessOptions {
  readonly baseUrl?: string | URL | undefined;
  readonly headers?: OpenApiHeaders | undefined;
  readonly fetch?: FetchApi | undefined;
  readonly maxResponseBytes: number;
}

/** Sends requests to the API of a document. */
export interface ApiAccess {
  /** Whether a header of that name is known to be sent with every request. */
  isGiven(header: string): boolean;
  /** Base URL of an operation: the common one, unless the operation names servers and the import no `baseUrl`. */
  baseOf(servers: unknown, where: string): string;
  /** Sends a request and returns the value of the response: JSON, text, or `null` if the body is empty. With `isTyped`, only JSON. */
  send(method: string, request: ApiRequest, what: string, isTyped: boolean, call: OutgoingCall): Promise<unknown>;
}

/** Creates the access to the API of a document. @throws {TypeError} If the base URL is unknown, not HTTP, or has credentials or a query. */
export function openApiAccess(document: OpenApiDocument, options: AccessOptions): ApiAccess {
  const { baseUrl, headers = {}, fetch, maxResponseBytes } = options;
  const http = { ...(fetch !== undefined && { fetch }), maxResponseBytes };
  const base = baseUrl === undefined ? parseBase(serverOf(document.root["servers"]), "the document") : parseBase(
    baseUrl,
    "the document",
    `baseUrl must be a URL that begins with http:// or https://, not ${JSON.stringify(baseUrl)}`,
  );
  const known = typeof headers === "function" ? undefined : toHeaders(headers);
  return {
    isGiven: (header) => known?.has(header) ?? false,
    baseOf(servers, where) {
      return hrefOf(baseUrl !== undefined || servers === undefined ? base : parseBase(serverOf(servers), where));
    },
    async send(method, request, what, isTyped, call) {
      const sent = new Headers({ accept: "application/json, */*;q=0.5" });
      request.headers.forEach((value, name) => sent.set(name, value));
      if (new URL(request.url).origin === base.origin) {
        const own = known ?? toHeaders(typeof headers === "function" ? await headersFor(headers, call) : headers);
        own.forEach((value, name) => sent.set(name, value));
      }
      const { url, body } = request;
      const unreachableMessage = `${what}: the API cannot be reached; try again later`;
      const result = await exchange(
        { method, url, headers: sent, body, returnsRedirect: true, unreachableMessage },
        http,
        monitorFromSignal(call.signal),
        async (response, chunks) => {
          if (!isRedirect(response)) return { response, text: await readText(chunks) };
          cancelBody(response);
          return { response, text: "" };
        },
      );
      if (!("kind" in result)) return readAnswer(result.response, result.text, what, isTyped);
      // An unreachable API is not an error of the tool.
      throw toToolError(result);
    },
  };
}

/** URL of the first server, with the defaults of its variables. */
function serverOf(servers: unknown): string | undefined {
  const [first] = Array.isArray(servers) ? servers : [];
  const { url, variables } = asObject(first);
  if (typeof url !== "string") return undefined;
  return url.replaceAll(/\{([^{}]+)\}/g, (template, name: string) => {
    const all = asObject(variables);
    const variable = Object.hasOwn(all, name) ? all[name] : undefined;
    return isJsonObject(variable) ? String(variable["default"]) : template;
  });
}

function parseBase(
  url: string | URL | undefined,
  where: string,
  problem: string = 'it names no server by an HTTP URL; pass { baseUrl: "https://…" }',
): URL {
  const parsed = url === undefined || !URL.canParse(url) ? undefined : new URL(url);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new ImportError(where, problem);
  }
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "") {
    throw new ImportError(where, "a base URL has neither credentials nor a query; pass { headers }");
  }
  return parsed;
}

function hrefOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** Maximum length of an error's body in messages, in UTF-16 code units. */
const MAX_EXCERPT = 1_000;

/**
 * Reads the value of a response.
 *
 * @throws {Failure} If the API refuses the request, or the response is not what the document declares.
 * @throws {ToolError} If the API is busy or fails.
 */
function readAnswer({ status, headers }: Response, text: string, what: string, isTyped: boolean): unknown {
  if (status < 200 || status > 299) throw errorOf(status, headers, text, what);
  const isJson = isJsonType(headers.get("content-type") ?? "");
  if (isJson && text.trim() !== "") return parseAnswer(text, status, what);
  if (isTyped) throw unexpected(text, status, `${what} answered what is not JSON`);
  return text === "" ? null : text;
}

function parseAnswer(text: string, status: number, what: string): unknown {
  if (isTooDeep(text)) throw unexpected(text, status, `${what} answered what nests too deep`);
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(text, status, `${what} answered what is no JSON`);
  }
}

function unexpected(text: string, status: number, message: string): Failure {
  return new Failure("unexpected_answer", message, { status, body: shorten(text, MAX_EXCERPT) });
}

/** Failure codes by status; other statuses of 400 to 499 are `rejected`. */
const FAILURES: ReadonlyMap<number, readonly [code: string, hint: string]> = new Map([
  [401, ["upstream_unauthenticated", "the server's own credentials for it are missing or wrong"]],
  [403, ["upstream_forbidden", "the server's own credentials for it do not allow this"]],
  [404, ["not_found", "there is no such thing; check what names it"]],
  [409, ["conflict", "what is there stands against it; look at it first"]],
  [410, ["not_found", "it is there no longer"]],
]);

function errorOf(status: number, headers: Headers, text: string, what: string): Error {
  const message = `${what} answered ${status}`;
  if (status === 429 || status >= 500) {
    const code = status === 429 ? "rate_limited" : "unavailable";
    const { data } = addRetryAfter(errorResult(code, message, { status }), headers);
    return new ToolError(code, `${message}: try again later`, { details: data });
  }
  if (status < 400) return new Failure("redirected", `${message}: redirects are not followed`, { status });
  const [code, hint] = FAILURES.get(status) ?? ["rejected", "mend the arguments by what its body says"];
  // The response is withheld: some APIs quote the credentials of the request.
  if (status === 401 || status === 403) return new Failure(code, `${message}: ${hint}`, { status });
  return new Failure(code, `${message}: ${hint}`, { status, body: shorten(text, MAX_EXCERPT) });
}
