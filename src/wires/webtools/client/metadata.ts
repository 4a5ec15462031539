/** Metadata of webtools: fetching, digests, changes, and checks of requests. */
import { type ErrorResult, errorResult, toToolError } from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { addRetryAfter, readJson } from "../../../http_client/read.ts";
import { monitorFromSignal } from "../../../core/call/time_limit.ts";
import { exchange, type HttpClientOptions } from "../../../http_client/send.ts";
import { asObject, canonicalJson, isJsonObject } from "../../../internal/json.ts";
import { sha256, toHex } from "../../../internal/encoding.ts";
import { decodeErrorReply } from "./decode_reply.ts";
import type { WebtoolAction, WebtoolMetadata } from "../messages/metadata.ts";
import { describeReceived, formatPath } from "../../../internal/text.ts";
import type { Check, Problem } from "../../../core/json_schema/check.ts";
import { compileForeignCheck, lenient } from "../../../core/json_schema/foreign.ts";

/** The metadata of one version and its digest. */
export interface PinnedWebtool {
  /** The metadata. */
  readonly metadata: WebtoolMetadata;
  /** SHA-256 of its compact JSON, in hexadecimal. It is the `ETag` of Toolwire servers. */
  readonly digest: string;
}

/** Options of {@link fetchWebtool}. */
export interface FetchWebtoolOptions extends HttpClientOptions {
  /** Version. Default: the latest. */
  readonly version?: string | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches the metadata of a webtool, to review it and to store it as a pin.
 *
 * @param url URL of the webtool.
 * @throws {ToolError} If the server cannot be reached, or its response is not metadata.
 */
export async function fetchWebtool(url: string | URL, options: FetchWebtoolOptions = {}): Promise<PinnedWebtool> {
  const { version, signal = new AbortController().signal, ...http } = options;
  const fetched = await requestMetadata(metadataUrl(new URL(url), version), http, monitorFromSignal(signal));
  if (!("kind" in fetched)) return fetched;
  throw toToolError(fetched);
}

/** URL of a webtool's metadata: of a version, or of the latest if it is `undefined`. */
export function metadataUrl({ origin, pathname, search }: URL, version: string | undefined): string {
  if (version === undefined) return `${origin}${pathname}${search}`;
  return `${origin}${pathname.replace(/\/*$/, `/${encodeURIComponent(version)}`)}${search}`;
}

/** Fetches the metadata of a webtool, and computes its digest. Failed requests give error results. */
export function requestMetadata(
  url: string,
  options: HttpClientOptions,
  limit: ActivityMonitor,
): Promise<PinnedWebtool | ErrorResult> {
  const request = { method: "GET", url, headers: { accept: "application/json" } };
  return exchange(request, options, limit, async ({ ok, status, headers }, chunks) => {
    const { text, json } = await readJson(chunks);
    if (!ok) return addRetryAfter(decodeErrorReply(json, status, text), headers);
    const metadata = decodeMetadata(json);
    if (metadata === undefined) {
      return errorResult("parse_error", "The server's answer is not the metadata of a webtool");
    }
    return { metadata, digest: await digestMetadata(metadata) };
  });
}

export async function digestMetadata(metadata: WebtoolMetadata): Promise<string> {
  return toHex(await sha256(JSON.stringify(metadata)));
}

/** Decodes metadata; `undefined` if the value is not metadata. Optional members may be missing. */
function decodeMetadata(json: unknown): WebtoolMetadata | undefined {
  if (!isJsonObject(json) || typeof json["version"] !== "string" || !Array.isArray(json["actions"])) return undefined;
  const actions: unknown[] = json["actions"];
  return actions.every((action) => typeof asObject(action)["name"] === "string") ? json as WebtoolMetadata : undefined;
}

/** Converts an action of metadata to a tool as clients list it. Its request and response schemas are input and output schema. */
export function toListedTool({ requestSchema, responseSchema, ...rest }: WebtoolAction): ListedTool {
  return { ...rest, inputSchema: asObject(requestSchema), outputSchema: asObject(responseSchema) };
}

type Path = readonly (string | number)[];

/** Maximum number of changes that are described. */
const MAX_CHANGES = 20;

/**
 * Describes the changes of metadata.
 *
 * The sentences name members of the pinned metadata only, and nothing of the new metadata: a model may read them, and the new
 * metadata may contain text that is written to manipulate it.
 *
 * @param pinned Metadata that was reviewed and stored.
 * @param current Current metadata.
 * @returns One sentence for each change, at most 20; empty if nothing has changed.
 */
export function describeChanges(pinned: WebtoolMetadata, current: WebtoolMetadata): string[] {
  const { actions, ...rest } = pinned;
  const { actions: currentActions, ...currentRest } = current;
  const changes = [...compare(rest, currentRest, [], "of the webtool"), ...compareActions(actions, currentActions)];
  return changes.slice(0, MAX_CHANGES);
}

type Actions = WebtoolMetadata["actions"];

function* compareActions(pinned: Actions, current: Actions): Generator<string> {
  const currentByName = new Map(current.map((action) => [action.name, action]));
  const pinnedNames = new Set(pinned.map(({ name }) => name));
  for (const action of pinned) {
    const other = currentByName.get(action.name);
    const label = JSON.stringify(action.name);
    if (other === undefined) yield `action ${label} was removed`;
    else yield* compare(action, other, [], `of action ${label}`);
  }
  const added = current.filter(({ name }) => !pinnedNames.has(name)).length;
  if (added > 0) yield added === 1 ? "an action was added" : `${added} actions were added`;
  const order = (actions: Actions) =>
    actions.map(({ name }) => name).filter((name) => pinnedNames.has(name) && currentByName.has(name));
  if (order(pinned).join("\n") !== order(current).join("\n")) yield "the order of the actions changed";
}

function* compare(pinned: unknown, current: unknown, path: Path, of: string): Generator<string> {
  const place = path.length === 0 ? "the members" : `the ${formatPath(path)}`;
  if (isJsonObject(pinned) && isJsonObject(current)) {
    for (const [key, value] of Object.entries(pinned)) {
      if (Object.hasOwn(current, key)) yield* compare(value, current[key], [...path, key], of);
      else yield `the ${formatPath([...path, key])} ${of} was removed`;
    }
    const hasMore = Object.keys(current).some((key) => !Object.hasOwn(pinned, key));
    if (hasMore) yield `something was added to ${place} ${of}`;
  } else if (Array.isArray(pinned) && Array.isArray(current) && pinned.length === current.length) {
    for (const [index, value] of pinned.entries()) yield* compare(value, current[index], [...path, index], of);
  } else if (canonicalJson(pinned) !== canonicalJson(current)) {
    yield `${place} ${of} changed`;
  }
}

type Config = Readonly<Record<string, unknown>>;

/** Metadata of a webtool that validates calls by its schemas. They are compiled at their first use. */
export class CheckedMetadata {
  /** The metadata and its digest. */
  readonly webtool: PinnedWebtool;
  readonly #checks = new Map<string, Check>();

  constructor(webtool: PinnedWebtool) {
    this.webtool = webtool;
  }

  /** Returns `invalid_config` or `invalid_input` for an invalid call. An unknown action is not an error here: the server reports it. */
  check(tool: string, request: unknown, config: Config | undefined): ErrorResult | undefined {
    const { actions, configSchema, defaultConfig } = this.webtool.metadata;
    const action = actions.find(({ name }) => name === tool);
    if (action === undefined) return undefined;
    if (action["@type"] !== "system") {
      const problems = this.#validate("", configSchema, { ...asObject(defaultConfig), ...config });
      if (problems.length > 0) return invalidConfig(problems);
    }
    const problems = this.#validate(`/${tool}`, action.requestSchema, request);
    return problems.length > 0 ? invalidInput(problems, request) : undefined;
  }

  #validate(key: string, schema: unknown, value: unknown): readonly Problem[] {
    const check = this.#checks.get(key) ?? lenient(compileForeignCheck(asObject(schema)));
    this.#checks.set(key, check);
    return check(value);
  }
}

/** The error has no value of the config, because it may be a secret. */
function invalidConfig(problems: readonly Problem[]): ErrorResult {
  const issues = problems.map(({ path, expected }) => ({ path, expected }));
  const message = `Invalid config${formatPlace(problems)}: expected ${problems[0]?.expected}`;
  return errorResult("invalid_config", message, { issues });
}

function invalidInput(problems: readonly Problem[], request: unknown): ErrorResult {
  const issues = problems.map(({ path, expected, isMissing }) => {
    const received = isMissing ? "nothing" : describeReceived(valueAt(request, path));
    const message = isMissing ? `"${path.at(-1)}" is required` : `Expected ${expected} but received ${received}`;
    return { path, expected, received, message };
  });
  return errorResult("invalid_input", `Invalid arguments${formatPlace(problems)}: ${issues[0]?.message}`, { issues });
}

function formatPlace([first]: readonly Problem[]): string {
  return first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
}

function valueAt(value: unknown, path: Problem["path"]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | null | undefined)?.[key], value);
}
