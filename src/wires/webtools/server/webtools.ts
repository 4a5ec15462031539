/**
 * Webtools over HTTP: metadata by GET, execution by POST. Each webtool has a path and any number of versions.
 *
 * Source: Webtools 2025-06-30.
 */
import type { Call } from "../../../core/call/call.ts";
import { type CallResult, type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { JSON_HEADERS, mediaTypeError, retryAfterHeader } from "../../framing/http.ts";
import { parseJson } from "../../framing/json_rpc/decode.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { chain, Future, type MaybeFuture } from "../../../internal/future.ts";
import {
  ANYTHING,
  checkOptions,
  OBJECT,
  type OptionRules,
  PATH,
  required,
  rule,
  TEXT,
} from "../../../internal/options.ts";
import type { Schema } from "../../../core/schema/standard_schema.ts";
import { toolset } from "../../../core/dispatch/attached_tools.ts";
import type { AnyTool } from "../../../core/tool/definition.ts";
import {
  type Body,
  type Head,
  HeadPeer,
  type MountedWire,
  type Reply,
  type RequestWire,
  type WireHost,
} from "../../wire.ts";
import { decodeRequest, type WebtoolRequest } from "./decode.ts";
import { encodeError, encodeOutcome, type Envelope } from "./encode.ts";
import { isSemver, latestOf, ServedVersion, type VersionOptions } from "./version.ts";
import { normalizePath } from "../../../internal/http.ts";

/** Configuration of one version of a webtool. */
export interface WebtoolConfig {
  /** Schema of `config`, for all actions. Default: the schemas of the tools, as defined by `.config()`. */
  readonly config?: Schema | undefined;
  /** Values of `config` that callers do not set. They are public: the metadata contains them. Default: none. */
  readonly defaultConfig?: Readonly<Record<string, unknown>> | undefined;
}

/** A further version of a webtool, with its own tools. */
export interface WebtoolVersion extends WebtoolConfig {
  /** Semantic version. */
  readonly version: string;
  /** Tools. Other versions may have tools of the same names. */
  readonly tools: readonly AnyTool[];
  /** Purpose, for people and models. Default: the description of the webtool. */
  readonly description?: string | undefined;
}

/** Options of {@link webtools}. */
export interface WebtoolsOptions extends WebtoolConfig {
  /** Name of the webtool: 1 to 64 of `A-Z a-z 0-9 _ . -`. */
  readonly name: string;
  /** Purpose, for people and models. */
  readonly description: string;
  /** Semantic version of the tools of the server. */
  readonly version: string;
  /** Path. Default: `/webtools/<name>`. */
  readonly path?: string | undefined;
  /** Further versions, such as older ones that are still served. */
  readonly versions?: readonly WebtoolVersion[] | undefined;
}

/**
 * Creates the Webtools wire, for `createServer({ wires: [webtools({ … })] })`. The tools of the server are the actions of one
 * webtool.
 *
 * `GET` of its path returns the metadata of the latest version, which is the highest that is not a pre-release. `GET` of
 * `/{version}` below it returns that of one version. `POST` of its path executes an action.
 *
 * @example Discover, then execute
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { webtools } from "jsr:@toolwire/toolwire/webtools";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const wire = webtools({ name: "echo", description: "Answers", version: "1.0.0" });
 * const server = createServer({ tools: [ping], wires: [wire] });
 *
 * const metadata = JSON.parse(await (await server.fetch(new Request("http://localhost/webtools/echo/"))).text());
 * console.log(metadata.actions[0].name); // → ping
 * const response = await server.fetch(new Request("http://localhost/webtools/echo/", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"action":"ping","request":{}}',
 * }));
 * console.log(await response.json()); // → { status: "ok", data: "pong" }
 * ```
 * @throws {TypeError} If the name, a description, a version or another option is invalid or unknown, or two versions are the same.
 */
export function webtools(options: WebtoolsOptions): RequestWire {
  checkOptions("create webtool", options, RULES);
  const { name, path = `/webtools/${name}`, version, versions = [] } = options;
  const all = [version, ...versions.map((one) => one.version)];
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    throw new TypeError(`Cannot create webtool ${JSON.stringify(name)}: a name is 1 to 64 of A-Z a-z 0-9 _ . -`);
  }
  for (const text of [options.description, ...versions.map(({ description = options.description }) => description)]) {
    if (typeof text !== "string" || text.trim() === "") {
      throw new TypeError(
        `Cannot create webtool "${name}": callers choose it by its description, so it cannot be empty`,
      );
    }
  }
  for (const one of all) {
    if (typeof one !== "string" || !isSemver(one)) {
      throw new TypeError(
        `Cannot create webtool "${name}": ${JSON.stringify(one)} is not a semantic version such as "1.0.0"`,
      );
    }
  }
  if (new Set(all).size < all.length) throw new TypeError(`Cannot create webtool "${name}": two versions are the same`);
  const base = normalizePath(path);
  return { name: WIRE_NAME, mount: (host) => new Webtools(host, base, options) };
}

const WIRE_NAME = "webtools";

const CONFIG_RULES: OptionRules<WebtoolConfig> = { config: ANYTHING, defaultConfig: OBJECT };

const RULES: OptionRules<WebtoolsOptions> = {
  name: required(TEXT),
  description: required(TEXT),
  version: required(TEXT),
  path: PATH,
  versions: rule("an array of { version, tools }", (value) => Array.isArray(value) && value.every(isVersion)),
  ...CONFIG_RULES,
};

function isVersion(value: unknown): boolean {
  return isJsonObject(value) && Array.isArray(value["tools"]);
}

/** Caches revalidate the metadata: of the latest version at each request, of a certain version after an hour. */
const CACHE_LATEST = "no-cache";
const CACHE_VERSION = "max-age=3600";

/** Serves a webtool: the metadata of its versions, and executions. */
class Webtools implements MountedWire {
  readonly paths: readonly string[];
  readonly methods: readonly string[] = ["GET", "HEAD", "POST"];
  readonly exposedHeaders: readonly string[] = ["etag", "repr-digest"];
  readonly #host: WireHost;
  readonly #base: string;
  /** The version whose tools are those of the server. */
  readonly #own: VersionOptions;
  /** The further versions. */
  readonly #others: ReadonlyMap<string, ServedVersion>;
  readonly #latest: string;
  /** Tools of the server that `#versions` was made of. */
  #cachedTools: WireHost["tools"] | undefined;
  #versions: ReadonlyMap<string, ServedVersion> = new Map();

  constructor(host: WireHost, base: string, options: WebtoolsOptions) {
    const { name, description, version, config, defaultConfig, versions = [] } = options;
    const others = versions.map((one) => {
      const { config, defaultConfig } = one;
      const served = { name, description: one.description ?? description, version: one.version, config, defaultConfig };
      const added = host.addToolset(toolset(`${name}/${one.version}`, one.tools));
      return [one.version, new ServedVersion(served, added)] as const;
    });
    this.#host = host;
    this.#base = base;
    this.#own = { name, description, version, config, defaultConfig };
    this.#others = new Map(others);
    this.#latest = latestOf([version, ...this.#others.keys()]) ?? version;
    this.#readVersions();
    this.paths = [base, `${base}/*`];
  }

  errorReply(_: Head, error: ErrorResult, status?: number): Reply {
    return errorReply(error, status);
  }

  handle(head: Head, body: Body): MaybeFuture<Reply> {
    const { method, path } = head;
    const version = path === this.#base ? undefined : decodePath(path.slice(this.#base.length + 1));
    const served = this.#find(version, head);
    if (served === undefined) return this.#versionNotFound(version);
    if (method === "GET" || method === "HEAD") {
      const admitted = this.#host.admitList("list:tools", new WebtoolPeer(head, undefined));
      return chain(
        admitted,
        (error) => error === undefined ? metadataReply(head, served, version !== undefined) : errorReply(error),
      );
    }
    if (method === "POST" && version === undefined) return this.#execute(head, body);
    const allowed = version === undefined ? "GET, HEAD, POST" : "GET, HEAD";
    const reply = errorReply(errorResult("invalid_request", `${method} is not allowed here: use ${allowed}`), 405);
    return { ...reply, headers: { ...reply.headers, allow: allowed } };
  }

  #find(version: string | undefined, { principal }: Head): ServedVersion | undefined {
    return this.#readVersions().get(version ?? this.#latest)?.visibleTo(principal);
  }

  /** Returns the current versions. The tools of the server change when those of a part do. */
  #readVersions(): ReadonlyMap<string, ServedVersion> {
    const { tools, definitions, dispatch } = this.#host;
    if (tools !== this.#cachedTools) {
      const listed = new Set(tools.map(({ name }) => name));
      const own = {
        tools,
        definitions: definitions.filter(({ name }) => listed.has(name)),
        callable: definitions,
        call: (call: Call) => dispatch.call(call),
      };
      this.#versions = new Map([[this.#own.version, new ServedVersion(this.#own, own)], ...this.#others]);
      this.#cachedTools = tools;
    }
    return this.#versions;
  }

  #execute(head: Head, body: Body): MaybeFuture<Reply> {
    const error = mediaTypeError(head.metadata);
    if (error !== undefined) return errorReply(error, 415);
    return body.text().map((text) => (typeof text === "string" ? this.#answer(head, text) : errorReply(text)));
  }

  #answer(head: Head, text: string): MaybeFuture<Reply> {
    const parsed = parseJson(text, this.#host.limits.depth);
    if ("error" in parsed) return errorReply(parsed.error);
    const request = decodeRequest(parsed.value);
    if ("kind" in request) return errorReply(request);
    const served = this.#find(request.version, head);
    if (served === undefined) return this.#versionNotFound(request.version);
    const condition = head.metadata.get("if-match");
    if (condition === null) return this.#call(head, request, served);
    return Future.of(served.digest()).map(({ hex }) => {
      return matches(condition, hex) ? this.#call(head, request, served) : METADATA_CHANGED;
    });
  }

  #call(head: Head, request: WebtoolRequest, served: ServedVersion): MaybeFuture<Reply> {
    const { action: tool = served.onlyAction, meta, request: args, config, sessionId } = request;
    if (tool === undefined) {
      const actions = served.actions.slice(0, 50).join(", ");
      return errorReply(errorResult("invalid_request", `Name one of the actions as "action": ${actions}`));
    }
    const call: Call = { tool, args, meta, config: served.configure(config), peer: new WebtoolPeer(head, sessionId) };
    const result = served.call(call);
    if (result instanceof Future) head.disableIdleTimeout();
    return chain(result, (later) => this.#callReply(call, later));
  }

  #callReply(call: Call, result: CallResult): Reply {
    try {
      if (result.kind !== "error") return envelopeReply(encodeOutcome(result));
      const reply = errorReply(result);
      return { ...reply, headers: { ...reply.headers, ...this.#host.challenge(result, this.#base) } };
    } catch (thrown) {
      const error = new TypeError("The result cannot be written as JSON", { cause: thrown });
      return errorReply(this.#host.dispatch.mask(error, { tool: call.tool }));
    }
  }

  #versionNotFound(version = ""): Reply {
    const known = [...this.#versions.keys()].slice(0, 50).join(", ");
    const message = `There is no version ${JSON.stringify(version.slice(0, 64))} of this webtool; there are ${known}`;
    return errorReply(errorResult("method_not_found", message));
  }
}

/** Peer of a call. Its session id is not verified. */
class WebtoolPeer extends HeadPeer<undefined> {
  readonly sessionId: string | undefined;

  constructor(head: Head, sessionId: string | undefined) {
    super(head, WIRE_NAME, undefined, false);
    this.sessionId = sessionId;
  }
}

async function metadataReply(head: Head, served: ServedVersion, isVersion: boolean): Promise<Reply> {
  const { hex, base64 } = await served.digest();
  const headers = {
    ...JSON_HEADERS,
    "cache-control": `${served.isForAll ? "" : "private, "}${isVersion ? CACHE_VERSION : CACHE_LATEST}`,
    etag: `"${hex}"`,
    "repr-digest": `sha-256=:${base64}:`,
  };
  const cached = head.metadata.get("if-none-match");
  if (cached !== null && matches(cached, hex)) return { status: 304, headers, body: null };
  return { status: 200, headers, body: head.method === "HEAD" ? null : served.json };
}

/** Whether the value of `If-None-Match` or `If-Match` is `*`, or lists the entity tag. */
function matches(list: string, tag: string): boolean {
  return list.split(",").some((one) =>
    /^(?:\*|(?:W\/)?"([^"]*)")$/.exec(one.trim())?.[1] === tag || one.trim() === "*"
  );
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not percent-encoded, so it is not a version either.
    return path;
  }
}

function errorReply(error: ErrorResult, status?: number): Reply {
  const envelope = encodeError(error);
  const reply = envelopeReply({ ...envelope, status: status ?? envelope.status });
  if (reply.status !== 429 && reply.status !== 503) return reply;
  return { ...reply, headers: { ...reply.headers, ...retryAfterHeader(error.data) } };
}

function envelopeReply({ status, json }: Envelope): Reply {
  return { status, headers: JSON_HEADERS, body: json };
}

const METADATA_CHANGED: Reply = errorReply(
  errorResult(
    "conflict",
    "The metadata of this version has changed since it was fetched: fetch it again, and review it",
  ),
  412,
);
