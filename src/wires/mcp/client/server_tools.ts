import type { ErrorResult } from "../../../core/call/outcome.ts";
import { CONTRACT_META, readContract } from "../../../core/call/listed_contract.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import { ALL_TOOLS } from "../protocol/constants.ts";
import { findHeaderParams, type HeaderParam } from "../protocol/header_values.ts";
import type { Connection } from "./connection.ts";
import { checkPin } from "./pins.ts";
import { decodeFailedReply } from "./decode_reply.ts";
import { ListReader } from "./list_reader.ts";
import { RecentMap } from "../../../internal/recent_map.ts";

/** A listed tool, with the arguments that calls of it repeat in headers. */
export interface KnownTool {
  readonly tool: ListedTool;
  /** Arguments that are repeated in headers. */
  readonly headerParams: readonly HeaderParam[];
  /** Whether the server wraps the output as `{ result }`, by a mark in the schema. The listed schema is that of the output alone. */
  readonly wrapsOutput: boolean;
}

/** Client side: lists and finds the tools of a server, compares them with pins, and reads them again when they have changed. */
export class ServerTools {
  readonly #connection: Connection;
  readonly #lists: ServerLists;
  readonly #pinned: readonly ListedTool[] | undefined;
  /** `_meta` of the requests for lists. */
  #meta: Members | undefined;
  /** The last list. */
  #known: ReadonlyMap<string, KnownTool> | undefined;
  #warning = "";

  constructor(connection: Connection, lists: ServerLists, pinned?: readonly ListedTool[], listsAll: boolean = false) {
    this.#connection = connection;
    this.#lists = lists;
    this.#pinned = pinned;
    if (listsAll) this.listAll();
    connection.router.on("notification", ({ method }) => {
      if (method === "notifications/tools/list_changed") this.#known = undefined;
    });
  }

  /**
   * Lists the tools. A tool with an invalid schema is left out with a warning. With pins, lists the pinned definitions of the tools
   * that still exist, so that a model sees what was reviewed.
   */
  async list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    const listed = await this.#load(limit);
    if ("kind" in listed) return listed;
    return this.#pinned?.filter(({ name }) => listed.has(name)) ?? [...listed.values()].map(({ tool }) => tool);
  }

  /** Whether it requests the full list of a Toolwire server that lists a selection. */
  get listsAll(): boolean {
    return this.#meta !== undefined;
  }

  /** From the next list on, requests the full list of a Toolwire server that lists a selection. Sends nothing itself. */
  listAll(): void {
    this.#meta = { [ALL_TOOLS]: true };
    this.invalidate();
  }

  /** Finds a tool, reading the list if necessary. `undefined` if it is not listed or the list cannot be read: the call then fails with the reason. */
  async find(name: string, limit: ActivityMonitor): Promise<KnownTool | undefined> {
    const known = this.#known ?? await this.#load(limit);
    return "kind" in known ? undefined : known.get(name);
  }

  /** Finds a tool in the last list, without a request; `undefined` if there is no list or it lacks the tool. */
  known(name: string): KnownTool | undefined {
    return this.#known?.get(name);
  }

  /** The error for a tool that is not pinned or differs from its pin; `undefined` if the transport has no pins. */
  checkPin(name: string, known: KnownTool | undefined): ErrorResult | undefined {
    return this.#pinned && checkPin(this.#pinned, name, known?.tool);
  }

  /** Whether the last list lacks a tool. `false` if no list was read. */
  isKnownMissing(name: string): boolean {
    return this.#known?.has(name) === false;
  }

  get arePinned(): boolean {
    return this.#pinned !== undefined;
  }

  /** Drops the last list, so that the next use reads it again. */
  invalidate(): void {
    this.#known = undefined;
    this.#lists.cache.deletePrefix("tools/");
  }

  async #load(limit: ActivityMonitor): Promise<ReadonlyMap<string, KnownTool> | ErrorResult> {
    const listed = await this.#lists.readAll("tools/list", "tools", limit, this.#meta);
    if ("kind" in listed) return listed as ErrorResult;
    const era = await this.#connection.era();
    const hasHeaders = !("kind" in era) && era.hasHeaders;
    const leftOut: string[] = [];
    const tools = listed.flatMap((tool) => {
      const read = readTool(tool, hasHeaders);
      if (typeof read === "object") return [read];
      leftOut.push(read);
      return [];
    });
    this.#warn(leftOut);
    return this.#known = new Map(tools.map((known) => [known.tool.name, known]));
  }

  /** One warning for a list, however often it is read. A hostile list has thousands of such tools. */
  #warn(leftOut: readonly string[]): void {
    if (leftOut.length === 0) return;
    const more = leftOut.length - MAX_NAMED;
    const warning = leftOut.slice(0, MAX_NAMED).join("; ") + (more > 0 ? `; and ${more} more` : "");
    if (warning === this.#warning) return;
    this.#warning = warning;
    this.#connection.logger.warn(warning);
  }
}

/** Maximum number of tools that are left out and that a warning names. */
const MAX_NAMED = 3;
/** Maximum length of a name in a warning, in characters. */
const MAX_NAME = 64;

/** A tool of a list, or why it is left out. */
function readTool(listed: Members, hasHeaders: boolean): KnownTool | string {
  const { name, inputSchema, outputSchema } = listed;
  if (typeof name !== "string") return leftOut("without a name", "its name is not a string");
  const isObject = isJsonObject(inputSchema) && inputSchema["type"] === "object";
  if (!isObject) return leftOut(name, 'its inputSchema does not have "type": "object"');
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    return leftOut(name, "its outputSchema is not an object");
  }
  const headerParams = hasHeaders ? findHeaderParams(inputSchema) : [];
  if (typeof headerParams === "string") return leftOut(name, headerParams);
  const wrapsOutput = outputSchema !== undefined && isWrapper(name, outputSchema);
  const unwrapped = wrapsOutput ? { ...listed, outputSchema: unwrapResult(outputSchema) } : listed;
  return { tool: withType(unwrapped as ListedTool), headerParams, wrapsOutput };
}

/** Moves the category from `_meta`, where MCP can have it, to the member that it is on other wires. */
function withType(tool: ListedTool): ListedTool {
  const { type } = readContract(tool);
  if (type === undefined) return tool;
  const { _meta: all, ...listed } = tool;
  const { [CONTRACT_META]: contract, ...others } = asObject(all);
  const { type: _, ...rest } = asObject(contract);
  const meta = Object.keys(rest).length > 0 ? { ...others, [CONTRACT_META]: rest } : others;
  return { ...listed, "@type": type, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

/**
 * Whether an output schema is that of a value that is not an object, which FastMCP and the official SDK for Python send as `{ result }`. FastMCP
 * marks it; the official SDK names it after the function of the tool, which no class of Python is named like.
 */
function isWrapper(name: string, { "x-fastmcp-wrap-result": isMarked, title, properties, required }: Members): boolean {
  if (isMarked === true) return true;
  const { result, ...others } = asObject(properties);
  const isNamed = title === `${name}Output` && /^[a-z_]/.test(name) && asObject(result)["title"] === "Result";
  return isNamed && Object.keys(others).length === 0 && Array.isArray(required) && required[0] === "result";
}

/** The schema of the value in a wrapper. The definitions at its root stay at the root. */
function unwrapResult({ properties, $defs }: Members): Members {
  return { ...asObject(asObject(properties)["result"]), ...($defs !== undefined && { $defs }) };
}

function leftOut(name: string, problem: string): string {
  return `Tool "${name.slice(0, MAX_NAME)}" is left out: ${problem}`;
}

/** Reads lists of tools, resources and prompts. They are cached as long as the server allows, or until it notifies of a change. */
export class ServerLists {
  readonly cache: TtlCache = new TtlCache();
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.router.on("notification", ({ method, params: { uri } }) => {
      const [, list] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? [];
      if (list !== undefined) this.cache.deletePrefix(`${list}/`);
      if (method === "notifications/resources/updated") this.cache.deletePrefix(`resources/read ${uri}`);
    });
  }

  /** Reads all pages of a list, within the limits of {@link ListReader}, or returns the cached list. */
  async readAll(
    method: string,
    member: string,
    limit: ActivityMonitor,
    meta: Members = {},
  ): Promise<readonly Members[] | ErrorResult> {
    const cached = this.cache.get(method);
    if (cached !== undefined) return cached as readonly Members[];
    const reader = new ListReader(method, member);
    let cursor: string | undefined;
    let ttlMs = Infinity;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const reply = await this.#connection.request({ method, params, meta, limit });
      if (!("result" in reply)) return decodeFailedReply(reply);
      const next = reader.add(reply.result);
      if (typeof next === "object") return next;
      ttlMs = Math.min(ttlMs, ttlMsOf(reply.result));
      cursor = next;
    } while (cursor !== undefined);
    this.cache.set(method, reader.items, ttlMs);
    return reader.items;
  }
}

/** Time for which the server allows to cache a result, in milliseconds; 0 if it does not state any. */
export function ttlMsOf({ ttlMs }: Members): number {
  return typeof ttlMs === "number" ? ttlMs : 0;
}

const MAX_ENTRIES = 256;

/** Cache of results. Private results are cached, too: each principal has its own cache if it has its own credentials. */
class TtlCache {
  readonly #entries = new RecentMap<{ readonly value: unknown; readonly expiresAtMs: number }>(MAX_ENTRIES);

  /** The cached value; `undefined` if it is absent or has expired. */
  get(key: string): unknown {
    const entry = this.#entries.get(key);
    if (entry !== undefined && performance.now() < entry.expiresAtMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Caches a value for `ttlMs`, if that is positive. */
  set(key: string, value: unknown, ttlMs: number): void {
    if (!(ttlMs > 0)) return;
    this.#entries.set(key, { value, expiresAtMs: performance.now() + ttlMs });
  }

  /** Deletes all values whose key starts with `prefix`. */
  deletePrefix(prefix: string): void {
    this.#entries.deletePrefix(prefix);
  }
}
