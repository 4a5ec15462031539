/**
 * Client transport of Webtools. It fetches the metadata before the first call, and can be pinned to reviewed metadata.
 *
 * Source: Webtools 2025-06-30, "Use Case Scenario", "Security Considerations", "Error Handling & Best Practices".
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
import { parseHttpUrl } from "../../../internal/http.ts";
import { addRetryAfter, readJson } from "../../../http_client/read.ts";
import { separatePrincipals } from "../../../http_client/per_principal.ts";
import { exchange, type HttpClientOptions } from "../../../http_client/send.ts";
import { asObject } from "../../../internal/json.ts";
import {
  CheckedMetadata,
  describeChanges,
  digestMetadata,
  metadataUrl,
  type PinnedWebtool,
  requestMetadata,
  toListedTool,
} from "./metadata.ts";
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
  /** Configuration that the environment supplies. It is sent with each call, but not with requests for metadata. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Version to call. Default: that of the pin, else the latest. */
  readonly version?: string | undefined;
  /**
   * Metadata that was reviewed and stored. It is not fetched, and its version is called. Or the SHA-256 of the metadata in
   * hexadecimal: then it is fetched once and compared. A Toolwire server rejects calls if its metadata has changed; the error
   * then lists the changes.
   */
  readonly pin?: WebtoolMetadata | string | undefined;
  /** Whether arguments and config are validated against the metadata before they are sent. Default: `true`. */
  readonly validate?: boolean | undefined;
  /** Id that is sent with each call, so that the webtool can relate several calls. It is not verified. Default: none. */
  readonly sessionId?: string | undefined;
}

/**
 * Creates a transport to a webtool. Its actions are the tools of the client.
 *
 * Webtools has no streams: a streamed call gets the whole answer at once, and progress only if the call returned a promise.
 *
 * @example Typed, configured, checked before anything is sent
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { webtools, webtoolsTransport } from "jsr:@toolwire/toolwire/webtools";
 *
 * const greet = defineTool("greet").describe("Greet").input(v.object({ name: v.string() }))
 *   .config(v.object({ greeting: v.string() })).handle(({ name }, ctx) => `${ctx.config.greeting}, ${name}!`);
 * const server = createServer({ tools: [greet], wires: [webtools({ name: "greeter", description: "Greets", version: "1.0.0" })] });
 *
 * const transport = webtoolsTransport("http://localhost/webtools/greeter", {
 *   config: { greeting: "Hello" },
 *   fetch: (url, init) => server.fetch(new Request(url, init)),
 * });
 * console.log(await createClient<typeof server>(transport).greet({ name: "Ada" })); // → Hello, Ada!
 * ```
 * @param url URL of the webtool.
 * @throws {TypeError} If the URL is invalid, the pin is neither metadata nor a digest or has another version, or another option is
 * invalid or unknown.
 */
export function webtoolsTransport(url: string | URL, options: WebtoolsTransportOptions = {}): Transport {
  checkOptions("reach a webtool", options, RULES);
  const { pin, version } = options;
  if (typeof pin === "string" && !/^[\da-f]{64}$/.test(pin)) {
    throw new TypeError("Cannot pin: a digest is 64 hexadecimal digits in lower case, as `toolwire pin` prints it");
  }
  if (typeof pin === "object" && (typeof pin?.version !== "string" || !Array.isArray(pin.actions))) {
    throw new TypeError(
      "Cannot pin: the value is not the metadata of a webtool; create it with `toolwire pin <url> --out <file>`",
    );
  }
  if (typeof pin === "object" && version !== undefined && version !== pin.version) {
    throw new TypeError(`Cannot call version ${version}: the pin is of version ${pin.version}`);
  }
  const parsed = parseHttpUrl("reach a webtool", url);
  const create = (): Transport => new WebtoolsTransport(parsed, options);
  // Metadata that was fetched with the headers of one principal is not used for another.
  return typeof options.headers === "function" ? separatePrincipals(create) : create();
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

/** Calls the actions of a webtool, by metadata that are loaded once or pinned. */
class WebtoolsTransport implements Transport {
  readonly #url: URL;
  readonly #options: WebtoolsTransportOptions;
  readonly #config: Readonly<Record<string, unknown>> | undefined;
  #metadata: CheckedMetadata | undefined;
  #loading: Promise<CheckedMetadata | ErrorResult> | undefined;
  /** JSON text of the last progress that was reported, by call. */
  readonly #reported = new WeakMap<ActivityMonitor, string>();

  constructor(url: URL, options: WebtoolsTransportOptions) {
    this.#url = url;
    this.#options = options;
    this.#config = options.config && copyJson(options.config);
  }

  async call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    const isPolled = sink !== undefined && call.tool === "redeem";
    const result = await this.#call(call, isPolled ? withShortWait(call.args) : call.args);
    if (sink !== undefined && result.kind === "promise") await this.#report(result.progress, call.limit, sink);
    return result;
  }

  async list(limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    const metadata = await this.#load(limit);
    if ("kind" in metadata) return metadata;
    const tools = metadata.webtool.metadata.actions.map(toListedTool);
    // System tools are first on all wires. Among the actions of a webtool they are last.
    return [...tools.filter(isSystem), ...tools.filter((tool) => !isSystem(tool))];
  }

  /** Reports the progress of a promise, if it has changed. There is no other progress. */
  async #report(progress: Progress | undefined, limit: ActivityMonitor, sink: Sink): Promise<void> {
    const text = JSON.stringify(progress);
    if (progress === undefined || this.#reported.get(limit) === text) return;
    this.#reported.set(limit, text);
    await sink.push({ kind: "progress", progress });
  }

  async #call(call: TransportCall, args: unknown = {}): Promise<CallResult | UnknownOutcome> {
    const { pin, validate = true } = this.#options;
    const request = copyJson(args);
    const metadata = validate || pin !== undefined ? await this.#load(call.limit) : undefined;
    if (metadata !== undefined && "kind" in metadata) return metadata;
    const error = validate && metadata !== undefined ? await this.#check(metadata, call, request) : undefined;
    return error ?? await this.#send(call, request, metadata);
  }

  /** Validates a call. If it is invalid, the metadata may be outdated: it is fetched again. */
  async #check(metadata: CheckedMetadata, call: TransportCall, request: unknown): Promise<ErrorResult | undefined> {
    const config = this.#configOf(call);
    const error = metadata.check(call.tool, request, config);
    const changed = error === undefined ? undefined : await this.#reload(metadata, call.limit);
    return changed === undefined ? error : changed.check(call.tool, request, config);
  }

  /** Returns the config of the transport, overridden by that of the call. */
  #configOf({ config }: TransportCall): Readonly<Record<string, unknown>> | undefined {
    return config === undefined ? this.#config : { ...this.#config, ...copyJson(config) };
  }

  /** Returns the metadata: that of the pin, or fetched once for all concurrent calls. */
  async #load(limit: ActivityMonitor): Promise<CheckedMetadata | ErrorResult> {
    for (;;) {
      if (this.#metadata !== undefined) return this.#metadata;
      const loading = this.#loading;
      if (loading === undefined) {
        return await (this.#loading = this.#loadOnce(limit).finally(() => this.#loading = undefined));
      }
      const loaded = await loading;
      // If the call that fetched it was aborted, this call fetches it.
      if (!("kind" in loaded) || loaded.code !== "unavailable" || limit.signal.aborted) return loaded;
    }
  }

  async #loadOnce(limit: ActivityMonitor): Promise<CheckedMetadata | ErrorResult> {
    const { pin } = this.#options;
    const webtool = typeof pin === "object"
      ? { metadata: pin, digest: await digestMetadata(pin) }
      : await this.#fetch(this.#options.version, limit);
    if ("kind" in webtool) return webtool;
    if (typeof pin === "string" && pin !== webtool.digest) return pinError([DIGEST_CHANGED]);
    return this.#metadata = new CheckedMetadata(webtool);
  }

  #fetch(version: string | undefined, limit: ActivityMonitor): Promise<PinnedWebtool | ErrorResult> {
    return requestMetadata(metadataUrl(this.#url, version), this.#options, limit);
  }

  /** Fetches the metadata again; `undefined` if it has not changed, or is pinned. */
  async #reload(metadata: CheckedMetadata, limit: ActivityMonitor): Promise<CheckedMetadata | undefined> {
    const { pin, version } = this.#options;
    if (pin !== undefined) return undefined;
    const fetched = await this.#fetch(version, limit);
    if ("kind" in fetched || fetched.digest === metadata.webtool.digest) return undefined;
    return this.#metadata = new CheckedMetadata(fetched);
  }

  /** Sends a call; to a pinned webtool with the condition that its metadata has not changed. */
  async #send(
    call: TransportCall,
    request: unknown,
    metadata: CheckedMetadata | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { tool: action, meta, limit } = call;
    const { pin, version, sessionId } = this.#options;
    const pinned = pin === undefined ? undefined : metadata?.webtool;
    const body = JSON.stringify({
      sessionId,
      version: pinned?.metadata.version ?? version,
      action,
      config: this.#configOf(call),
      request,
      _meta: meta,
    });
    if (pinned === undefined) return await this.#post(body, {}, limit) ?? CONTRADICTORY;
    const result = await this.#post(body, { "if-match": `"${pinned.digest}"` }, limit);
    if (result !== undefined) return result;
    const current = await this.#compare(pinned, limit);
    if ("kind" in current) return current;
    return await this.#post(body, { "if-match": `"${current.digest}"` }, limit) ?? CONTRADICTORY;
  }

  /** Sends a POST request; `undefined` if its condition is not met. */
  #post(
    body: string,
    condition: Readonly<Record<string, string>>,
    limit: ActivityMonitor,
  ): Promise<CallResult | UnknownOutcome | undefined> {
    const headers = { "content-type": "application/json", accept: "application/json", ...condition };
    const request = { method: "POST", url: metadataUrl(this.#url, undefined), headers, body };
    return exchange(request, this.#options, limit, async (response, chunks) => {
      const { text, json } = await readJson(chunks);
      if (response.status === 412) return undefined;
      const decoded = decodeReply(json, response.status, text);
      return decoded.kind === "error" ? addRetryAfter(decoded, response.headers) : decoded;
    });
  }

  /** Compares the pin with the current metadata: an error that lists the changes, or the digest of an equivalent encoding. */
  async #compare({ metadata }: PinnedWebtool, limit: ActivityMonitor): Promise<PinnedWebtool | ErrorResult> {
    if (typeof this.#options.pin === "string") return pinError([DIGEST_CHANGED]);
    const fetched = await this.#fetch(metadata.version, limit);
    if ("kind" in fetched) return fetched;
    const changes = describeChanges(metadata, fetched.metadata);
    if (changes.length > 0) return pinError(changes);
    const same = { metadata, digest: fetched.digest };
    this.#metadata = new CheckedMetadata(same);
    return same;
  }
}

const DIGEST_CHANGED = "its digest has changed; pin the metadata itself to see the changes";

function pinError(changes: readonly string[]): ErrorResult {
  const message = `The webtool has changed since it was pinned: ${changes.join("; ")}. Review it and pin it again`;
  return errorResult("conflict", message, { changes });
}

/** Error of a server that rejects the condition although its metadata meets it. The request is not repeated. */
const CONTRADICTORY: ErrorResult = pinError(["the server rejects the digest of the metadata that it sends"]);

/** Time that a streamed redeem waits on the server, in milliseconds. It is short, so that progress is reported. */
const POLL_INTERVAL_MS = 1_000;

function withShortWait(args: unknown): unknown {
  const members = asObject(args);
  return { ...members, wait_ms: Math.min(Number(members["wait_ms"] ?? POLL_INTERVAL_MS), POLL_INTERVAL_MS) };
}

function isSystem({ "@type": type }: ListedTool): boolean {
  return type === "system";
}

/** Converts a value to its JSON form, as it is sent and validated. */
function copyJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
