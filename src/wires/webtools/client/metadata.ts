/**
 * Fetches what a webtool says about itself.
 *
 * @module
 */
import { type ErrorResult, errorResult, toToolError } from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { addRetryAfter, readJson } from "../../../http_client/read.ts";
import { exchange, type HttpClientOptions, monitorFromSignal } from "../../../http_client/send.ts";
import { asObject, isJsonObject } from "../../../internal/json.ts";
import { sha256, toHex } from "../../../internal/encoding.ts";
import { decodeRefusal } from "./decode_reply.ts";
import type { WebtoolAction, WebtoolMetadata } from "../messages/metadata.ts";

/** The metadata of one version, and what it is known by. */
export interface PinnedWebtool {
  /** The metadata. */
  readonly metadata: WebtoolMetadata;
  /** Its SHA-256 in hexadecimal: of its compact JSON, which is what our servers send, and their `ETag`. */
  readonly digest: string;
}

/** Options of {@link fetchWebtool}. */
export interface FetchWebtoolOptions extends HttpClientOptions {
  /** Which version. Default: the latest. */
  readonly version?: string | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/**
 * Fetches a webtool's metadata, to look at it and to keep it as a pin.
 *
 * @param url Where the webtool is.
 * @throws {ToolError} If the server cannot be reached, or answers with something else.
 */
export async function fetchWebtool(url: string | URL, options: FetchWebtoolOptions = {}): Promise<PinnedWebtool> {
  const { version, signal = new AbortController().signal, ...http } = options;
  const fetched = await getMetadata(metadataUrl(new URL(url), version), http, monitorFromSignal(signal));
  if (!("kind" in fetched)) return fetched;
  throw toToolError(fetched);
}

/** Where the metadata of a version is. */
export function metadataUrl({ origin, pathname, search }: URL, version: string | undefined): string {
  if (version === undefined) return `${origin}${pathname}${search}`;
  return `${origin}${pathname.replace(/\/*$/, `/${encodeURIComponent(version)}`)}${search}`;
}

/** Fetches metadata. */
export function getMetadata(
  url: string,
  options: HttpClientOptions,
  limit: ActivityMonitor,
): Promise<PinnedWebtool | ErrorResult> {
  const request = { method: "GET", url, headers: { accept: "application/json" } };
  return exchange(request, options, limit, async ({ ok, status, headers }, chunks) => {
    const { text, json } = await readJson(chunks);
    if (!ok) return addRetryAfter(decodeRefusal(json, status, text), headers);
    const metadata = decodeMetadata(json);
    if (metadata === undefined) {
      return errorResult("parse_error", "The server's answer is not the metadata of a webtool");
    }
    return { metadata, digest: await digestOf(metadata) };
  });
}

/** What metadata is known by. */
export async function digestOf(metadata: WebtoolMetadata): Promise<string> {
  return toHex(await sha256(JSON.stringify(metadata)));
}

/** Reads metadata; `undefined` if it is none. What is left out of it counts as saying nothing. */
function decodeMetadata(json: unknown): WebtoolMetadata | undefined {
  if (!isJsonObject(json) || typeof json["version"] !== "string" || !Array.isArray(json["actions"])) return undefined;
  const actions: unknown[] = json["actions"];
  return actions.every((action) => typeof asObject(action)["name"] === "string") ? json as WebtoolMetadata : undefined;
}

/** An action as a tool of the list that clients have of every server. */
export function toRemoteTool({ requestSchema, responseSchema, ...rest }: WebtoolAction): ListedTool {
  return { ...rest, inputSchema: asObject(requestSchema), outputSchema: asObject(responseSchema) };
}
