/**
 * Webtools: metadata by GET, execution by POST, each webtool at a URL of its own, in any number of versions.
 *
 * Knows paths, headers, statuses and JSON; knows nothing of how tools are run.
 * Source: Webtools 2025-06-30.
 *
 * @module
 */
import type { Call } from "../../../core/call/call.ts";
import { type CallResult, type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { mediaTypeError, retryAfterHeader } from "../../framing/http.ts";
import { parseJson } from "../../framing/json_rpc/decode.ts";
import { isJsonObject } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
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
import { encodeOutcome, encodeRefusal, type Envelope } from "./encode.ts";
import { isSemver, latestOf } from "./semver.ts";
import { ServedVersion, type VersionOptions } from "./version.ts";

/** What one version of a webtool says of its configuration. */
export interface WebtoolConfig {
  /** What `config` has to be, whichever action is called. Default: what the tools say with `.config()`. */
  readonly config?: Schema;
  /** What `config` is where callers say nothing else. Everyone can read it. Default: nothing. */
  readonly defaultConfig?: Readonly<Record<string, unknown>>;
}

/** A version beside the server's own tools. */
export interface WebtoolVersion extends WebtoolConfig {
  /** Semantic version. */
  readonly version: string;
  /** Its tools; they may have the names of others. */
  readonly tools: readonly AnyTool[];
  /** What it is for, for people and models. Default: the webtool's description. */
  readonly description?: string;
}

/** Options of {@link webtools}. */
export interface WebtoolsOptions extends WebtoolConfig {
  /** Name of the webtool: 1 to 64 of `A-Z a-z 0-9 _ . -`. */
  readonly name: string;
  /** What it is for, for people and models. */
  readonly description: string;
  /** Semantic version of the server's own tools. */
  readonly version: string;
  /** Where it is. Default: `/webtools/<name>`. */
  readonly path?: string;
  /** Other versions of it, which go on to be served. */
  readonly versions?: readonly WebtoolVersion[];
}

/**
 * The Webtools wire, for `createServer({ wires: [webtools({ … })] })`: the server's tools are the actions of one webtool.
 *
 * `GET` of its path gives the metadata of the latest version, the highest that is no pre-release; `GET` of `/{version}` below
 * it that of one; `POST` of its path executes an action.
 *
 * @example Discover, then execute
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { webtools } from "jsr:@toolwire/toolwire/webtools";
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const wire = webtools({ name: "echo", description: "Answers", version: "1.0.0" });
 * const server = createServer({ tools: [ping], wires: [wire] });
 *
 * const metadata = await (await server.fetch(new Request("http://localhost/webtools/echo/"))).json();
 * strictEqual(metadata.actions[0].name, "ping");
 * const response = await server.fetch(new Request("http://localhost/webtools/echo/", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"action":"ping","request":{}}',
 * }));
 * deepStrictEqual(await response.json(), { status: "ok", data: "pong" });
 * ```
 * @throws {TypeError} If the name, a description, a version or another option is not what it should be, there is no such option, or
 * a version is there twice.
 */
export function webtools(options: WebtoolsOptions): RequestWire {
  checkOptions("make webtool", options, RULES);
  const { name, path = `/webtools/${name}`, version, versions = [] } = options;
  const all = [version, ...versions.map((one) => one.version)];
  if (typeof name !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    throw new TypeError(`Cannot make webtool ${JSON.stringify(name)}: a name is 1 to 64 of A-Z a-z 0-9 _ . -`);
  }
  for (const text of [options.description, ...versions.map(({ description = options.description }) => description)]) {
    if (typeof text !== "string" || text.trim() === "") {
      throw new TypeError(`Cannot make webtool "${name}": callers choose it by its description, so it cannot be empty`);
    }
  }
  for (const one of all) {
    if (typeof one !== "string" || !isSemver(one)) {
      throw new TypeError(`Cannot make webtool "${name}": ${JSON.stringify(one)} is no version such as "1.0.0"`);
    }
  }
  if (new Set(all).size < all.length) throw new TypeError(`Cannot make webtool "${name}": a version is there twice`);
  const base = `/${path}`.replace(/\/+/g, "/").replace(/\/$/, "");
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

/** Metadata may be kept, but has to be asked for again: of the latest version at once, of any other after an hour. */
const CACHE_LATEST = "no-cache";
const CACHE_VERSION = "max-age=3600";

class Webtools implements MountedWire {
  readonly paths: readonly string[];
  readonly methods: readonly string[] = ["GET", "HEAD", "POST"];
  readonly exposedHeaders: readonly string[] = ["etag", "repr-digest"];
  readonly #host: WireHost;
  readonly #base: string;
  /** The version of the server's own tools, and how it is described. */
  readonly #own: VersionOptions;
  /** The versions beside it. */
  readonly #others: ReadonlyMap<string, ServedVersion>;
  readonly #latest: string;
  #listed: WireHost["tools"] | undefined = undefined;
  #versions: ReadonlyMap<string, ServedVersion> = new Map();

  constructor(host: WireHost, base: string, options: WebtoolsOptions) {
    const { name, description, version, config, defaultConfig, versions = [] } = options;
    const others = versions.map((one) => {
      const { config, defaultConfig } = one;
      const served = { name, description: one.description ?? description, version: one.version, config, defaultConfig };
      return [one.version, new ServedVersion(served, host.addToolset(`${name}/${one.version}`, one.tools))] as const;
    });
    this.#host = host;
    this.#base = base;
    this.#own = { name, description, version, config, defaultConfig };
    this.#others = new Map(others);
    this.#latest = latestOf([version, ...this.#others.keys()]) ?? version;
    this.#read();
    this.paths = [base, `${base}/*`];
  }

  errorReply(_: Head, refusal: ErrorResult, status?: number): Reply {
    return refusalReply(refusal, status);
  }

  handle(head: Head, body: Body): MaybePromise<Reply> {
    const { method, path } = head;
    const version = path === this.#base ? undefined : decodePath(path.slice(this.#base.length + 1));
    const served = this.#find(version, head);
    if (served === undefined) return this.#versionNotFound(version);
    if (method === "GET" || method === "HEAD") return describe(head, served, version !== undefined);
    if (method === "POST" && version === undefined) return this.#execute(head, body);
    const allowed = version === undefined ? "GET, HEAD, POST" : "GET, HEAD";
    const reply = refusalReply(errorResult("invalid_request", `${method} is not allowed here: use ${allowed}`), 405);
    return { ...reply, headers: { ...reply.headers, allow: allowed } };
  }

  #find(version: string | undefined, { principal }: Head): ServedVersion | undefined {
    return this.#read().get(version ?? this.#latest)?.seenBy(principal);
  }

  /** The versions as they are now; the tools of a part may be others than they were. */
  #read(): ReadonlyMap<string, ServedVersion> {
    const { tools, definitions: plans, dispatch } = this.#host;
    if (tools !== this.#listed) {
      const own = { tools, plans, call: (call: Call) => dispatch.call(call) };
      this.#versions = new Map([[this.#own.version, new ServedVersion(this.#own, own)], ...this.#others]);
      this.#listed = tools;
    }
    return this.#versions;
  }

  #execute(head: Head, body: Body): MaybePromise<Reply> {
    const unreadable = mediaTypeError(head.metadata);
    if (unreadable !== undefined) return refusalReply(unreadable, 415);
    return body.text().then((text) => (typeof text === "string" ? this.#answer(head, text) : refusalReply(text)));
  }

  #answer(head: Head, text: string): MaybePromise<Reply> {
    const parsed = parseJson(text, this.#host.limits.depth);
    if ("refusal" in parsed) return refusalReply(parsed.refusal);
    const request = decodeRequest(parsed.value);
    if ("kind" in request) return refusalReply(request);
    const served = this.#find(request.version, head);
    if (served === undefined) return this.#versionNotFound(request.version);
    const wanted = head.metadata.get("if-match");
    if (wanted === null) return this.#call(head, request, served);
    return served.digest().then(({ hex }) => {
      return matches(wanted, hex) ? this.#call(head, request, served) : METADATA_CHANGED;
    });
  }

  #call(head: Head, request: WebtoolRequest, served: ServedVersion): MaybePromise<Reply> {
    const { action: tool = served.onlyAction, meta, request: args, config, sessionId } = request;
    if (tool === undefined) {
      const actions = served.actions.slice(0, 50).join(", ");
      return refusalReply(errorResult("invalid_request", `Name one of the actions as "action": ${actions}`));
    }
    const call: Call = { tool, args, meta, config: served.configure(config), peer: new WebtoolPeer(head, sessionId) };
    const settled = served.call(call);
    if (!(settled instanceof Promise)) return this.#settledReply(call, settled);
    head.disableIdleTimeout();
    return settled.then((later) => this.#settledReply(call, later));
  }

  #settledReply(call: Call, settled: CallResult): Reply {
    try {
      if (settled.kind !== "error") return envelopeReply(encodeOutcome(settled));
      const reply = refusalReply(settled);
      return { ...reply, headers: { ...reply.headers, ...this.#host.challenge(settled, this.#base) } };
    } catch (thrown) {
      const error = new TypeError("The result cannot be written as JSON", { cause: thrown });
      return refusalReply(this.#host.dispatch.mask(error, { tool: call.tool }));
    }
  }

  #versionNotFound(version = ""): Reply {
    const known = [...this.#versions.keys()].slice(0, 50).join(", ");
    const message = `There is no version ${JSON.stringify(version.slice(0, 64))} of this webtool; there are ${known}`;
    return refusalReply(errorResult("method_not_found", message));
  }
}

/** Who calls; its session is only its word. */
class WebtoolPeer extends HeadPeer<undefined> {
  readonly sessionId: string | undefined;

  constructor(head: Head, sessionId: string | undefined) {
    super(head, WIRE_NAME, undefined, false);
    this.sessionId = sessionId;
  }
}

async function describe(head: Head, served: ServedVersion, isVersion: boolean): Promise<Reply> {
  const { hex, base64 } = await served.digest();
  const headers = {
    "content-type": "application/json",
    "cache-control": `${served.isForAll ? "" : "private, "}${isVersion ? CACHE_VERSION : CACHE_LATEST}`,
    etag: `"${hex}"`,
    "repr-digest": `sha-256=:${base64}:`,
  };
  const known = head.metadata.get("if-none-match");
  if (known !== null && matches(known, hex)) return { status: 304, headers, body: null };
  return { status: 200, headers, body: head.method === "HEAD" ? null : served.json };
}

/** Whether a list of entity tags has one that is just this, or `*`. */
function matches(list: string, tag: string): boolean {
  return list.split(",").some((one) =>
    /^(?:\*|(?:W\/)?"([^"]*)")$/.exec(one.trim())?.[1] === tag || one.trim() === "*"
  );
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not percent-encoded, then: and no version.
    return path;
  }
}

function refusalReply(refusal: ErrorResult, status?: number): Reply {
  const envelope = encodeRefusal(refusal);
  const reply = envelopeReply({ ...envelope, status: status ?? envelope.status });
  if (reply.status !== 429 && reply.status !== 503) return reply;
  return { ...reply, headers: { ...reply.headers, ...retryAfterHeader(refusal.data) } };
}

function envelopeReply({ status, json }: Envelope): Reply {
  return { status, headers: ENVELOPE_HEADERS, body: json };
}

/** An answer is its caller's alone. */
const ENVELOPE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  "cache-control": "no-store",
};

const METADATA_CHANGED: Reply = refusalReply(
  errorResult(
    "conflict",
    "The metadata of this version is not what the call was made for: fetch it again, and look at it",
  ),
  412,
);
