/**
 * Finds out which era a server speaks, once, and then speaks it.
 *
 * Source: MCP, revision 2026-07-28, "Versioning" and "Backward compatibility".
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { systemClock } from "../../../internal/time.ts";
import { VERSION } from "../../../internal/version.ts";
import { type Carrier, type RpcReply, within } from "./message_transport.ts";
import type { Era, Self } from "./era.ts";
import { Handlers } from "./handlers.ts";
import { Inbox, type Watch } from "./incoming_router.ts";
import { LegacyEra, type Refused } from "./legacy.ts";
import { MODERN_VERSION } from "../protocol/constants.ts";
import { discover, ModernEra } from "./modern.ts";
import { refusalOf } from "./error_result.ts";
import type { McpClientOptions, McpImplementation, McpLogLevel } from "./types.ts";
import { UNSUPPORTED_VERSION } from "../protocol/codes.ts";

/** How to get to a server. */
export interface Route {
  /** What carries messages to it. */
  readonly carrier: Carrier;
  /** What may carry them where that is not understood: an older transport. */
  readonly older?: () => Carrier;
  /** How long the server may take to say which era it speaks, in milliseconds. */
  readonly probeMs: number;
}

/** What is asked of a server. */
export interface Asking {
  readonly method: string;
  readonly params?: Members;
  /** Members of `_meta` that are not the protocol's. */
  readonly meta?: Members;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limit: ActivityMonitor;
  readonly watch?: Watch;
  readonly isEndless?: boolean;
}

/** A server that is spoken to. */
export class Connection implements Self {
  readonly handlers: Handlers = new Handlers();
  readonly inbox: Inbox;
  readonly info: McpImplementation;
  readonly warn: (message: string) => void;
  logLevel: McpLogLevel | undefined = undefined;
  readonly #route: Route;
  readonly #preferred: "auto" | "modern" | "legacy";
  #era: Era | undefined = undefined;
  #opening: Promise<Era | ErrorResult> | undefined = undefined;
  #older: Carrier | undefined = undefined;
  #isClosed = false;
  #lastId = 0;

  constructor(route: Route, options: McpClientOptions) {
    const { clientInfo = { name: "toolwire", version: VERSION }, era = "auto", onWarning = console.warn } = options;
    this.info = clientInfo;
    this.warn = onWarning;
    this.inbox = new Inbox(this.handlers, onWarning);
    this.#route = route;
    this.#preferred = era;
  }

  get capabilities(): Members {
    return this.handlers.capabilities;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  renewed(): void {
    this.inbox.tell("renewed", undefined);
  }

  /** The era, found out if it is not known. Not kept where the server could not be asked. */
  async era(): Promise<Era | ErrorResult> {
    if (this.#isClosed) return CLOSED;
    if (this.#era !== undefined) return this.#era;
    // Where what one request waits for cannot be waited for by another, each finds out for itself.
    const opening = systemClock.isPerRequest ? this.#open() : this.#opening ??= this.#open();
    const era = await opening;
    return "kind" in era ? this.#refused(era) : this.#adopt(era);
  }

  /** Asks the server. Total. */
  async request(asking: Asking): Promise<RpcReply> {
    const era = await this.era();
    if ("kind" in era) return { refusal: era };
    const { method, params = {}, meta = {}, headers = {}, limit, watch, isEndless = false } = asking;
    const id = this.nextId();
    const forget = watch && this.inbox.watch(id, watch);
    const wantsProgress = watch?.progress !== undefined;
    try {
      return await era.request({ id, method, params, meta, headers, limit, wantsProgress, isEndless });
    } finally {
      forget?.();
    }
  }

  /** Ends it, for good. */
  close(): void {
    this.#isClosed = true;
    this.#era?.close();
    this.#route.carrier.close();
    this.#older?.close();
  }

  #refused(refusal: ErrorResult): ErrorResult {
    this.#opening = undefined;
    return this.#isClosed ? CLOSED : refusal;
  }

  #adopt(era: Era): Era | ErrorResult {
    if (!this.#isClosed) this.#era ??= era;
    // Another was first, or it is too late.
    if (this.#era !== era) era.close();
    const adopted = this.#era;
    if (adopted === undefined || this.#isClosed) return CLOSED;
    this.inbox.respond = adopted.isModern ? undefined : (message) => void adopted.post(message);
    return adopted;
  }

  async #open(): Promise<Era | ErrorResult> {
    const { carrier } = this.#route;
    carrier.receive = this.inbox.receive;
    if (this.#preferred === "legacy") return await this.#openLegacy();
    let verdict = await this.#probe(this.#route.probeMs);
    if (verdict === "again") verdict = await this.#probe(this.#route.probeMs);
    if (verdict instanceof ModernEra) return verdict;
    if (this.#preferred === "modern" || typeof verdict === "object") {
      return typeof verdict === "object"
        ? verdict
        : errorResult("invalid_request", `The server does not speak MCP ${MODERN_VERSION}`);
    }
    return await this.#openLegacy();
  }

  async #probe(limitMs: number): Promise<ModernEra | ErrorResult | "again" | "legacy"> {
    const { carrier } = this.#route;
    const reply = await within(limitMs, (limit) => discover(carrier, this, limit));
    if ("result" in reply) {
      const verdict = judge(reply.result["supportedVersions"]);
      return verdict === "modern" ? new ModernEra(carrier, this, reply.result) : verdict;
    }
    if ("error" in reply && reply.error.code === UNSUPPORTED_VERSION) {
      const verdict = judge(asObject(reply.error.data)["supported"]);
      return verdict === "modern" ? "again" : verdict;
    }
    return isEvidenceOfOlder(reply, carrier) ? "legacy" : refusalOf(reply);
  }

  async #openLegacy(): Promise<Era | ErrorResult> {
    const { carrier, older } = this.#route;
    const era = new LegacyEra(carrier, this);
    this.inbox.respond = (message) => void era.post(message);
    const refused = await era.open();
    if (refused === undefined) return era;
    // A server that was slow to say that it speaks the other one.
    if ("error" in refused && refused.error.code === UNSUPPORTED_VERSION && this.#preferred === "auto") {
      const verdict = await this.#probe(2 * this.#route.probeMs);
      if (verdict instanceof ModernEra) {
        this.inbox.respond = undefined;
        return verdict;
      }
    }
    const isUnknown = [400, 404, 405].includes(refused.status ?? 0);
    return isUnknown && older !== undefined ? await this.#openOlder(older(), refused) : refusalOf(refused);
  }

  async #openOlder(carrier: Carrier, refused: Refused): Promise<Era | ErrorResult> {
    carrier.receive = this.inbox.receive;
    const era = new LegacyEra(carrier, this);
    this.inbox.respond = (message) => void era.post(message);
    this.#older = carrier;
    if (await era.open() === undefined) return era;
    carrier.close();
    return refusalOf(refused);
  }
}

const CLOSED: ErrorResult = errorResult("unavailable", "The transport is closed");

/** What the revisions that a server names mean for us. */
function judge(revisions: unknown): "modern" | "legacy" | ErrorResult {
  const named = Array.isArray(revisions) ? revisions.filter((one) => typeof one === "string") : [];
  if (named.includes(MODERN_VERSION)) return "modern";
  // Dates, which sort as text does.
  if (!named.some((revision) => revision > MODERN_VERSION)) return "legacy";
  return errorResult("invalid_request", `The server speaks MCP ${named.join(", ")}, this client ${MODERN_VERSION}`);
}

/** Whether the probe's fate says that the server knows nothing of it, and not that it could not be reached, or let nobody in. */
function isEvidenceOfOlder(reply: Refused, carrier: Carrier): boolean {
  const { status } = reply;
  if (status !== undefined) return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
  if ("error" in reply) return true;
  // A process that ends, or says nothing: some old servers do. In a page, headers that a server does not allow look like that.
  return !carrier.hasHeaders || ("document" in globalThis && reply.refusal.code === "unavailable");
}
