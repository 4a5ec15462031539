/**
 * Fetches what a webtool says about itself.
 *
 * @module
 */
import { type ErrorResult, errorResult, toToolError } from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { addRetryAfter, readJson } from "../../../http_client/read.ts";
import { monitorFromSignal } from "../../../core/call/time_limit.ts";
import { exchange, type HttpClientOptions } from "../../../http_client/send.ts";
import { asObject, canonicalJson, isJsonObject } from "../../../internal/json.ts";
import { sha256, toHex } from "../../../internal/encoding.ts";
import { decodeRefusal } from "./decode_reply.ts";
import type { WebtoolAction, WebtoolMetadata } from "../messages/metadata.ts";
import { formatPath } from "../../../internal/text.ts";

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

type Path = readonly (string | number)[];

/** Most changes that are told. */
const MAX_CHANGES = 20;

/**
 * Tells what is otherwise than it was.
 *
 * @param pinned The metadata that was looked at and stored.
 * @param current The metadata as it is now.
 * @returns One sentence for each change, at most 20; none if nothing has changed.
 */
export function describeChanges(pinned: WebtoolMetadata, current: WebtoolMetadata): string[] {
  const { actions, ...rest } = pinned;
  const { actions: currentActions, ...currentRest } = current;
  const changes = [...compare(rest, currentRest, [], "of the webtool"), ...compareActions(actions, currentActions)];
  return changes.slice(0, MAX_CHANGES);
}

type Actions = WebtoolMetadata["actions"];

function* compareActions(pinned: Actions, current: Actions): Generator<string> {
  const now = new Map(current.map((action) => [action.name, action]));
  const known = new Set(pinned.map(({ name }) => name));
  for (const action of pinned) {
    const other = now.get(action.name);
    const label = JSON.stringify(action.name);
    if (other === undefined) yield `action ${label} is gone`;
    else yield* compare(action, other, [], `of action ${label}`);
  }
  const added = current.filter(({ name }) => !known.has(name)).length;
  if (added > 0) yield added === 1 ? "an action was added" : `${added} actions were added`;
  const order = (actions: Actions) =>
    actions.map(({ name }) => name).filter((name) => known.has(name) && now.has(name));
  if (order(pinned).join("\n") !== order(current).join("\n")) yield "the order of the actions changed";
}

function* compare(pinned: unknown, current: unknown, path: Path, of: string): Generator<string> {
  const place = path.length === 0 ? "the members" : `the ${formatPath(path)}`;
  if (isJsonObject(pinned) && isJsonObject(current)) {
    for (const [key, value] of Object.entries(pinned)) {
      if (Object.hasOwn(current, key)) yield* compare(value, current[key], [...path, key], of);
      else yield `the ${formatPath([...path, key])} ${of} is gone`;
    }
    const hasMore = Object.keys(current).some((key) => !Object.hasOwn(pinned, key));
    if (hasMore) yield `something was added to ${place} ${of}`;
  } else if (Array.isArray(pinned) && Array.isArray(current) && pinned.length === current.length) {
    for (const [index, value] of pinned.entries()) yield* compare(value, current[index], [...path, index], of);
  } else if (canonicalJson(pinned) !== canonicalJson(current)) {
    yield `${place} ${of} changed`;
  }
}
