/**
 * The client's side of Webtools: a transport that looks before it posts, and that can be held to metadata which was looked at.
 *
 * Source: Webtools 2025-06-30, "Use Case Scenario", "Security Considerations", "Error Handling & Best Practices".
 *
 * @module
 */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Progress,
  type Sink,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool, Transport, TransportCall } from "../../../core/call/transport.ts";
import { type Check, compileCheck, type Problem } from "../../../core/json_schema/check.ts";
import { parseHttpUrl } from "../../../internal/http.ts";
import { addRetryAfter, readJson } from "../../../http_client/read.ts";
import { exchange, type HttpClientOptions } from "../../../http_client/send.ts";
import { asObject } from "../../../internal/json.ts";
import { describeReceived, formatPath } from "../../../internal/text.ts";
import { describeChanges, digestOf, getMetadata, metadataUrl, type PinnedWebtool, toRemoteTool } from "./metadata.ts";
import { decodeReply } from "./decode_reply.ts";
import {
  BOOLEAN,
  checkOptions,
  FUNCTION,
  HEADERS,
  OBJECT,
  type OptionRules,
  rule,
  TEXT,
  wholeNumber,
} from "../../../internal/options.ts";
import type { WebtoolMetadata } from "../messages/metadata.ts";

/** Options of {@link webtoolsTransport}. */
export interface WebtoolsTransportOptions extends HttpClientOptions {
  /** What the environment supplies beside the arguments; sent with every call, never with the metadata's request. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Which version is called. Default: that of the pin, else the latest. */
  readonly version?: string;
  /**
   * Metadata that was looked at and stored: it is not fetched any more, and its version is called. Or its SHA-256 in
   * hexadecimal: then it is fetched once, and has to be that. A server of ours refuses calls once its metadata is another; the
   * call then says what has changed.
   */
  readonly pin?: WebtoolMetadata | string;
  /** Whether arguments and config are checked against the metadata before they are sent. Default: `true`. */
  readonly validate?: boolean;
  /** Names what several calls have in common. Default: nothing. */
  readonly sessionId?: string;
}

/**
 * A transport to a webtool: its actions are the client's tools.
 *
 * Webtools does not stream: a streamed call gives its answer as a whole. Progress is told of promised work alone.
 *
 * @example Typed, configured, checked before anything is sent
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { webtools, webtoolsTransport } from "jsr:@toolwire/toolwire/webtools";
 * import { strictEqual } from "node:assert/strict";
 *
 * const greet = defineTool("greet").describe("Greet").input(v.object({ name: v.string() }))
 *   .config(v.object({ greeting: v.string() })).handle(({ name }, ctx) => `${ctx.config.greeting}, ${name}!`);
 * const server = createServer({ tools: [greet], wires: [webtools({ name: "greeter", description: "Greets", version: "1.0.0" })] });
 *
 * const transport = webtoolsTransport("http://localhost/webtools/greeter", {
 *   config: { greeting: "Hello" },
 *   fetch: (url, init) => server.fetch(new Request(url, init)),
 * });
 * strictEqual(await createClient<typeof server>(transport).greet({ name: "Ada" }), "Hello, Ada!");
 * ```
 * @param url Where the webtool is, as its provider writes it.
 * @throws {TypeError} If the URL is none, the pin is neither metadata nor a digest, or of another version, another option is not what
 * it should be, or there is no such option.
 */
export function webtoolsTransport(url: string | URL, options: WebtoolsTransportOptions = {}): Transport {
  checkOptions("reach a webtool", options, RULES);
  const { pin, version } = options;
  if (typeof pin === "string" && !/^[\da-f]{64}$/.test(pin)) {
    throw new TypeError("Cannot pin: a digest is 64 hexadecimal digits in lower case, as `toolwire pin` prints it");
  }
  if (typeof pin === "object" && (typeof pin?.version !== "string" || !Array.isArray(pin.actions))) {
    throw new TypeError(
      "Cannot pin: that is no metadata of a webtool; write it with `toolwire pin <url> --out <file>`",
    );
  }
  if (typeof pin === "object" && version !== undefined && version !== pin.version) {
    throw new TypeError(`Cannot call version ${version}: the pin is of version ${pin.version}`);
  }
  return new WebtoolsTransport(parseHttpUrl("reach a webtool", url), options);
}

const RULES: OptionRules<WebtoolsTransportOptions> = {
  config: OBJECT,
  version: TEXT,
  pin: rule("metadata, or its digest", (value) => typeof value === "string" || typeof value === "object"),
  validate: BOOLEAN,
  sessionId: TEXT,
  headers: HEADERS,
  fetch: FUNCTION,
  maxResponseBytes: wholeNumber(1),
};

/** Metadata, and checks made of it. */
class Known {
  readonly webtool: PinnedWebtool;
  readonly #checks = new Map<string, Check>();

  constructor(webtool: PinnedWebtool) {
    this.webtool = webtool;
  }

  /** Why a call is not sent; `undefined` if it fits. Of actions that are not known the server shall say so. */
  refuse(
    tool: string,
    request: unknown,
    config: Readonly<Record<string, unknown>> | undefined,
  ): ErrorResult | undefined {
    const { actions, configSchema, defaultConfig } = this.webtool.metadata;
    const action = actions.find(({ name }) => name === tool);
    if (action === undefined) return undefined;
    const whole = { ...asObject(defaultConfig), ...config };
    const wrong = action["@type"] === "system" ? [] : this.#check("", configSchema, whole);
    if (wrong.length > 0) return invalidConfig(wrong);
    const problems = this.#check(`/${tool}`, action.requestSchema, request);
    return problems.length > 0 ? invalidInput(problems, request) : undefined;
  }

  #check(key: string, schema: unknown, value: unknown): readonly Problem[] {
    const check = this.#checks.get(key) ?? compileLenientCheck(asObject(schema));
    this.#checks.set(key, check);
    return check(value);
  }
}

class WebtoolsTransport implements Transport {
  readonly #url: URL;
  readonly #options: WebtoolsTransportOptions;
  readonly #config: Readonly<Record<string, unknown>> | undefined;
  #known: Known | undefined = undefined;
  readonly #told = new WeakMap<ActivityMonitor, string>();
  #loading: Promise<Known | ErrorResult> | undefined = undefined;

  constructor(url: URL, options: WebtoolsTransportOptions) {
    this.#url = url;
    this.#options = options;
    // As it is sent: without what JSON has not.
    this.#config = options.config && JSON.parse(JSON.stringify(options.config));
  }

  async call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    const settled = await this.#call(
      call,
      sink !== undefined && call.tool === "redeem" ? impatient(call.args) : call.args,
    );
    if (sink !== undefined && settled.kind === "promise") await this.#tell(settled.progress, call.limit, sink);
    return settled;
  }

  async list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    const known = await this.#look(limit);
    if ("kind" in known) return known;
    const tools = known.webtool.metadata.actions.map(toRemoteTool);
    // System tools first, as on all wires; among a webtool's actions they come last.
    return [...tools.filter(isSystem), ...tools.filter((tool) => !isSystem(tool))];
  }

  /** What a promise tells of its work is all the progress that there is; to each call once. */
  async #tell(progress: Progress | undefined, limit: ActivityMonitor, sink: Sink): Promise<void> {
    const text = JSON.stringify(progress);
    if (progress === undefined || this.#told.get(limit) === text) return;
    this.#told.set(limit, text);
    await sink.push({ kind: "progress", progress });
  }

  async #call(call: TransportCall, args: unknown = {}): Promise<CallResult | UnknownOutcome> {
    const { pin, validate = true } = this.#options;
    const { limit } = call;
    const request: unknown = JSON.parse(JSON.stringify(args));
    const known = validate || pin !== undefined ? await this.#look(limit) : undefined;
    if (known !== undefined && "kind" in known) return known;
    const refused = validate && known !== undefined ? await this.#check(known, call, request, limit) : undefined;
    return refused ?? await this.#send(call, request, known);
  }

  /** Why a call is not sent: by the metadata as it is by now, if it has changed since it was fetched. */
  async #check(
    known: Known,
    call: TransportCall,
    request: unknown,
    limit: ActivityMonitor,
  ): Promise<ErrorResult | undefined> {
    const config = this.#configOf(call);
    const refused = known.refuse(call.tool, request, config);
    const changed = refused === undefined ? undefined : await this.#lookAgain(known, limit);
    return changed === undefined ? refused : changed.refuse(call.tool, request, config);
  }

  /** What goes with a call: what it brings itself, before what all have. */
  #configOf({ config }: TransportCall): Readonly<Record<string, unknown>> | undefined {
    return config === undefined ? this.#config : { ...this.#config, ...JSON.parse(JSON.stringify(config)) };
  }

  /** The metadata: of the pin, or fetched once. Callers that come meanwhile wait for whoever fetches it. */
  async #look(limit: ActivityMonitor): Promise<Known | ErrorResult> {
    for (;;) {
      if (this.#known !== undefined) return this.#known;
      const loading = this.#loading;
      if (loading === undefined) {
        const mine = this.#loading = this.#load(limit).finally(() => this.#loading = undefined);
        return await mine;
      }
      const loaded = await loading;
      // It may have failed because its caller left.
      if (!("kind" in loaded) || loaded.code !== "unavailable" || limit.signal.aborted) return loaded;
    }
  }

  async #load(limit: ActivityMonitor): Promise<Known | ErrorResult> {
    const { pin } = this.#options;
    const webtool = typeof pin === "object"
      ? { metadata: pin, digest: await digestOf(pin) }
      : await this.#fetch(this.#options.version, limit);
    if ("kind" in webtool) return webtool;
    if (typeof pin === "string" && pin !== webtool.digest) return notAsPinned([DIGEST_CHANGED]);
    return this.#known = new Known(webtool);
  }

  #fetch(version: string | undefined, limit: ActivityMonitor): Promise<PinnedWebtool | ErrorResult> {
    return getMetadata(metadataUrl(this.#url, version), this.#options, limit);
  }

  /** The metadata as it is by now, if it has changed. What is pinned stays. */
  async #lookAgain(known: Known, limit: ActivityMonitor): Promise<Known | undefined> {
    const { pin, version } = this.#options;
    if (pin !== undefined) return undefined;
    const fetched = await this.#fetch(version, limit);
    if ("kind" in fetched || fetched.digest === known.webtool.digest) return undefined;
    return this.#known = new Known(fetched);
  }

  /** Posts a call; to a pinned webtool, on condition that it is still the same. */
  async #send(
    call: TransportCall,
    request: unknown,
    known: Known | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { tool: action, meta, limit } = call;
    const { pin, version, sessionId } = this.#options;
    const pinned = pin === undefined ? undefined : known?.webtool;
    const called = pinned?.metadata.version ?? version;
    const body = JSON.stringify({
      sessionId,
      version: called,
      action,
      config: this.#configOf(call),
      request,
      _meta: meta,
    });
    if (pinned === undefined) return await this.#post(body, {}, limit) ?? STILL_CHANGED;
    const settled = await this.#post(body, { "if-match": `"${pinned.digest}"` }, limit);
    if (settled !== undefined) return settled;
    const current = await this.#compare(pinned, limit);
    return "kind" in current ? current : await this.#post(body, { "if-match": `"${current.digest}"` }, limit) ??
      STILL_CHANGED;
  }

  /** Posts; gives `undefined` if the condition does not hold. */
  #post(
    body: string,
    condition: Readonly<Record<string, string>>,
    limit: ActivityMonitor,
  ): Promise<CallResult | UnknownOutcome | undefined> {
    const headers = { "content-type": "application/json", accept: "application/json", ...condition };
    const sent = { method: "POST", url: metadataUrl(this.#url, undefined), headers, body };
    return exchange(sent, this.#options, limit, async (response, chunks) => {
      const { text, json } = await readJson(chunks);
      if (response.status === 412) return undefined;
      const decoded = decodeReply(json, response.status, text);
      return decoded.kind === "error" ? addRetryAfter(decoded, response.headers) : decoded;
    });
  }

  /** What the server's metadata is instead of the pinned: a refusal that says what has changed, or the same, spelled otherwise. */
  async #compare({ metadata }: PinnedWebtool, limit: ActivityMonitor): Promise<PinnedWebtool | ErrorResult> {
    if (typeof this.#options.pin === "string") return notAsPinned([DIGEST_CHANGED]);
    const fetched = await this.#fetch(metadata.version, limit);
    if ("kind" in fetched) return fetched;
    const changes = describeChanges(metadata, fetched.metadata);
    if (changes.length > 0) return notAsPinned(changes);
    const same = { metadata, digest: fetched.digest };
    this.#known = new Known(same);
    return same;
  }
}

const DIGEST_CHANGED = "its digest is another; only a pin of the metadata itself can tell what has changed";

function notAsPinned(changes: readonly string[]): ErrorResult {
  const message = `The webtool is not as it was pinned: ${changes.join("; ")}. Look at it, and pin it anew`;
  return errorResult("conflict", message, { changes });
}

/** A server that says so of what it has just sent has another opinion of it than we: it is not asked for ever. */
const STILL_CHANGED: ErrorResult = notAsPinned(["so the server says, though what it sends is the same"]);

/** How long a redeem waits at the server whose caller wants to hear how the work goes, in milliseconds. */
const TOLD_EACH_MS = 1_000;

function impatient(args: unknown): unknown {
  const members = asObject(args);
  return { ...members, wait_ms: Math.min(Number(members["wait_ms"] ?? TOLD_EACH_MS), TOLD_EACH_MS) };
}

function isSystem({ "@type": type }: ListedTool): boolean {
  return type === "system";
}

function invalidConfig(problems: readonly Problem[]): ErrorResult {
  const issues = problems.map(({ path, expected }) => ({ path, expected }));
  return errorResult("invalid_config", `Invalid config${placeOf(problems)}: expected ${problems[0]?.expected}`, {
    issues,
  });
}

function invalidInput(problems: readonly Problem[], request: unknown): ErrorResult {
  const issues = problems.map(({ path, expected, isMissing }) => {
    const received = isMissing ? "nothing" : describeReceived(valueAt(request, path));
    const message = isMissing ? `"${path.at(-1)}" is required` : `Expected ${expected} but received ${received}`;
    return { path, expected, received, message };
  });
  return errorResult("invalid_input", `Invalid arguments${placeOf(problems)}: ${issues[0]?.message}`, { issues });
}

function placeOf([first]: readonly Problem[]): string {
  return first === undefined || first.path.length === 0 ? "" : ` at "${formatPath(first.path)}"`;
}

function valueAt(value: unknown, path: Problem["path"]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | null | undefined)?.[key], value);
}

/** Compiles a schema. */
export function compileLenientCheck(schema: Readonly<Record<string, unknown>>): Check {
  let check: Check;
  try {
    check = compileCheck(schema);
  } catch {
    return () => [];
  }
  return (value) => {
    try {
      return check(value);
    } catch {
      // References that lead nowhere, or in circles.
      return [];
    }
  };
}
