/**
 * The era with a handshake: `initialize` first, and, where the server wants it, a session that everything belongs to.
 *
 * The handshake is made when it is first needed, and again when the server has forgotten it.
 * Source: MCP, revisions 2024-11-05 to 2025-11-25, "Lifecycle" and "Transports".
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { typedOr } from "../../../internal/json.ts";
import { type Carrier, limitOf, type RpcReply, UNWATCHED_MS, within } from "./message_transport.ts";
import { cancelled, type Era, type EraRequest, readServerInfo, type Self } from "./era.ts";
import { isLegacyVersion, LEGACY_VERSIONS } from "../protocol/constants.ts";
import type { OneWayMessage } from "../protocol/messages.ts";
import { pause } from "./pause.ts";
import type { McpServerInfo } from "./types.ts";
import { SESSION_HEADER, VERSION_HEADER } from "../protocol/header_values.ts";

/** How long a call waits for the server's own stream to be open, in milliseconds: what is asked over it early is not lost then. */
const STREAM_WAIT_MS = 250;
/** How long the handshake may take, in milliseconds. */
const SHAKE_MS = 30_000;

/** What the handshake gave. */
interface Session {
  readonly server: McpServerInfo;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the server keeps something under an id, which it may forget. */
  readonly isKept: boolean;
  /** The carrier's, when the handshake was made. */
  readonly epoch: number;
  /** Ends the stream that belongs to it. */
  readonly ending: AbortController;
}

/** What the handshake was refused with. */
export type Refused = Exclude<RpcReply, { readonly result: unknown }>;

/** Speaks the revisions that begin with a handshake. */
export class LegacyEra implements Era {
  readonly isModern = false;
  readonly hasHeaders = false;
  readonly #carrier: Carrier;
  readonly #self: Self;
  #session: Session | undefined = undefined;
  #opening: Promise<Session | Refused> | undefined = undefined;
  #hasBegun = false;

  constructor(carrier: Carrier, self: Self) {
    this.#carrier = carrier;
    this.#self = self;
  }

  get server(): McpServerInfo {
    return this.#session?.server ?? NOBODY;
  }

  /** Makes the handshake, if it has not been made; gives why it was refused. */
  async open(): Promise<Refused | undefined> {
    const session = await this.#opened();
    return "server" in session ? undefined : session;
  }

  async request(request: EraRequest): Promise<RpcReply> {
    const { id, method, params, meta, limit, wantsProgress, isEndless } = request;
    const _meta = { ...meta, ...(wantsProgress && { progressToken: id }) };
    const whole = Object.keys(_meta).length > 0 ? { ...params, _meta } : params;
    for (let isFirst = true;; isFirst = false) {
      const session = await this.#opened();
      if (!("server" in session)) return session;
      const sending = { limit, headers: session.headers, isResumable: true, isEndless };
      const reply = await this.#carrier.request({ id, method, params: whole }, sending);
      if (limit.signal.aborted) void this.post(cancelled(id));
      const isForgotten = "status" in reply && reply.status === 404 && session.isKept;
      if (!isForgotten || !isFirst) return reply;
      this.#forget(session);
    }
  }

  post(message: OneWayMessage): Promise<ErrorResult | undefined> {
    const headers = this.#session?.headers ?? {};
    return within(UNWATCHED_MS, (limit) => this.#carrier.post(message, { headers, limit }));
  }

  close(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#forget(session);
    if (session.isKept) this.#carrier.leave?.(session.headers);
  }

  #forget(session: Session): void {
    session.ending.abort();
    if (this.#session === session) this.#session = this.#opening = undefined;
  }

  async #opened(): Promise<Session | Refused> {
    const session = this.#session;
    if (session !== undefined) {
      if (session.epoch === this.#carrier.epoch) return session;
      this.#forget(session);
    }
    // Whoever comes first makes it for all.
    this.#opening ??= this.#shake();
    const opened = await this.#opening;
    if (!("server" in opened)) this.#opening = undefined;
    return opened;
  }

  async #shake(): Promise<Session | Refused> {
    const [latest] = LEGACY_VERSIONS;
    const { info: clientInfo, capabilities } = this.#self;
    const params = { protocolVersion: latest, capabilities, clientInfo };
    const message = { id: this.#self.nextId(), method: "initialize", params };
    // Not within the limit of whoever came first: others wait for it, too.
    const reply = await within(SHAKE_MS, (limit) => this.#carrier.request(message, { limit, headers: {} }));
    if (!("result" in reply)) return reply;
    const revision = typedOr(reply.result["protocolVersion"], "");
    if (!isLegacyVersion(revision)) {
      return {
        refusal: errorResult(
          "invalid_request",
          `The server speaks revision "${revision}" of MCP, which this client does not`,
        ),
      };
    }
    const session: Session = {
      server: readServerInfo(revision, reply.result, reply.result["serverInfo"]),
      headers: {
        [VERSION_HEADER]: revision,
        ...(reply.session !== undefined && { [SESSION_HEADER]: reply.session }),
      },
      isKept: reply.session !== undefined,
      epoch: this.#carrier.epoch,
      ending: new AbortController(),
    };
    this.#session = session;
    const refusal = await this.post({ method: "notifications/initialized", params: {} });
    if (refusal !== undefined) {
      this.#forget(session);
      return { refusal };
    }
    await this.#listen(session);
    if (this.#hasBegun) this.#self.renewed();
    this.#hasBegun = true;
    return session;
  }

  /** Has what the server says on its own come in. */
  async #listen({ headers, isKept, ending }: Session): Promise<void> {
    if (!isKept) return;
    const limit = limitOf(ending.signal);
    await Promise.race([this.#carrier.listen?.({ headers, limit, isResumable: true }), pause(STREAM_WAIT_MS, limit)]);
  }
}

const NOBODY: McpServerInfo = { revision: "", info: undefined, capabilities: {}, instructions: undefined };
