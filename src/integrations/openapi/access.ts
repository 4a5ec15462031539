/**
 * Access to an API: its base URL and the headers of every request.
 *
 * @module
 */
import { asObject, isJsonObject } from "../../internal/json.ts";
import { cancelBody, isRedirect, readText } from "../../http_client/read.ts";
import { monitorFromSignal } from "../../core/call/time_limit.ts";
import { exchange } from "../../http_client/send.ts";
import { toToolError } from "../../core/call/outcome.ts";
import { readAnswer } from "./answer.ts";
import type { OpenApiDocument } from "./document.ts";
import { ImportError } from "./import_error.ts";
import type { ApiRequest } from "./request.ts";

/** Headers of requests, or a function that returns them for each request. */
export type OpenApiHeaders = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

/** Sends a request. */
export type FetchApi = (url: string, init: RequestInit) => Promise<Response>;

interface AccessOptions {
  readonly baseUrl?: string | URL;
  readonly headers?: OpenApiHeaders;
  readonly fetch?: FetchApi;
  readonly maxResponseBytes: number;
}

/** Access to an API. */
export interface ApiAccess {
  /** Whether a header of that name is known to be sent with every request. */
  isGiven(header: string): boolean;
  /** Base URL of an operation: the common one, unless the operation names servers and the import no `baseUrl`. */
  baseOf(servers: unknown, where: string): string;
  /** Sends a request and returns the value of the response. */
  send(method: string, request: ApiRequest, what: string, isTyped: boolean, signal: AbortSignal): Promise<unknown>;
}

/** @throws {TypeError} If the base URL is unknown. */
export function openApiAccess(document: OpenApiDocument, options: AccessOptions): ApiAccess {
  const { baseUrl, headers = {}, fetch, maxResponseBytes } = options;
  const http = { ...(fetch !== undefined && { fetch }), maxResponseBytes };
  const base = baseUrl === undefined ? parseBase(serverOf(document.root["servers"]), "the document") : parseBase(
    baseUrl,
    "the document",
    `baseUrl must be a URL that begins with http:// or https://, not ${JSON.stringify(baseUrl)}`,
  );
  const known = typeof headers === "function" ? undefined : new Headers(headers);
  return {
    isGiven: (header) => known?.has(header) ?? false,
    baseOf(servers, where) {
      return hrefOf(baseUrl !== undefined || servers === undefined ? base : parseBase(serverOf(servers), where));
    },
    async send(method, request, what, isTyped, signal) {
      const sent = new Headers({ accept: "application/json, */*;q=0.5" });
      request.headers.forEach((value, name) => sent.set(name, value));
      if (new URL(request.url).origin === base.origin) {
        const own = known ?? new Headers(typeof headers === "function" ? await headers() : headers);
        own.forEach((value, name) => sent.set(name, value));
      }
      const { url, body } = request;
      const unreachableMessage = `${what}: the API cannot be reached; try again later`;
      const result = await exchange(
        { method, url, headers: sent, body, returnsRedirect: true, unreachableMessage },
        http,
        monitorFromSignal(signal),
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
