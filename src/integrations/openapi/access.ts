/**
 * How an API is reached: where it is, and what goes with every request.
 *
 * @module
 */
import { asObject, isJsonObject } from "../../internal/json.ts";
import { discard, isRedirect, readText } from "../../http_client/read.ts";
import { exchange, monitorFromSignal } from "../../http_client/send.ts";
import { toToolError } from "../../core/call/outcome.ts";
import { readAnswer } from "./answer.ts";
import type { OpenApiDocument } from "./document.ts";
import { ImportError } from "./import_error.ts";
import type { ApiRequest } from "./request.ts";

/** Headers of every request, or a function that returns them. */
export type OpenApiHeaders = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

/** Sends a request. */
export type FetchApi = (url: string, init: RequestInit) => Promise<Response>;

interface AccessOptions {
  readonly baseUrl?: string | URL;
  readonly headers?: OpenApiHeaders;
  readonly fetch?: FetchApi;
  readonly maxResponseBytes: number;
}

/** How an API is reached. */
export interface ApiAccess {
  /** Whether a header of that name goes with every request, as far as that is known. */
  isGiven(header: string): boolean;
  /** Where an operation is: there all are, unless it names servers of its own and the importer none. */
  baseOf(servers: unknown, where: string): string;
  /** Sends a request, and gives the value of its answer. */
  send(method: string, request: ApiRequest, what: string, isTyped: boolean, signal: AbortSignal): Promise<unknown>;
}

/** @throws {TypeError} If it is not known where the API is. */
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
          discard(response);
          return { response, text: "" };
        },
      );
      if (!("kind" in result)) return readAnswer(result.response, result.text, what, isTyped);
      // An unreachable API is not an error of the tool.
      throw toToolError(result);
    },
  };
}

/** The URL of the first server that is named, with the defaults of its variables. */
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
