/** Sends webhooks to endpoints, and leaves those alone for a while that do not answer. */
import type { Logger } from "../../core/handler/context.ts";
import { encodeText } from "../../core/token/layout.ts";
import type { Clock } from "../../internal/time.ts";
import { type Signers, signWebhook } from "./signature.ts";
import { RecentMap } from "../../internal/recent_map.ts";

/** Number of failures in a row after which an endpoint is left alone. */
const MAX_FAILURES = 5;
/**
 * Pause before the next request to an endpoint that has failed {@link MAX_FAILURES} times in a row, in milliseconds. Each further failure begins
 * it again. The last try of a webhook is sent during a pause, too.
 */
export const PAUSE_MS = 60_000;

/** Number of endpoints whose failures are counted. */
const MAX_COUNTED = 1_000;

/** Longest time that an answer may ask for with `Retry-After`, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Function that sends HTTP requests; same form as `fetch`. */
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

/** Where a webhook is sent, and the secrets that sign it. */
export interface Destination {
  readonly url: string;
  readonly signers: Signers;
}

/** Result of one try to send a webhook: accepted, refused, failed, or put off. It is JSON, because a step of the job stores it. */
export type Attempt = {
  /** Whether the endpoint has accepted the webhook, or no longer exists. */
  readonly isOver: boolean;
  /** HTTP status, or what happened in its place. */
  readonly reply: string;
  /** Delay that the endpoint has asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Time until the pause of the endpoint ends, in milliseconds, for which no request was sent. */
  readonly pausedMs?: number;
};

/** A webhook to send: the same id and body in each try. */
export interface WebhookRequest {
  /** The header `webhook-id`, the same in each try. */
  readonly id: string;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Whether no try follows: it is made even if the endpoint is being left alone. */
  readonly isLast: boolean;
}

/** Failed deliveries to a receiver, and the time until which it gets none. */
interface Failures {
  readonly count: number;
  readonly pausedUntilMs: number;
}

/** Options of an {@link EndpointSender}: `timeoutMs` limits each try. */
export interface SenderOptions {
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly timeoutMs: number;
  readonly fetch: SendRequest;
}

/** Sends the webhooks of one target, one try a call. After 5 failures in a row, an endpoint is tried once a minute only. */
export class EndpointSender {
  readonly #options: SenderOptions;
  /** Failures in a row, by the URL of the endpoint. */
  readonly #failures = new RecentMap<Failures>(MAX_COUNTED);

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Makes one try; none while the endpoint is paused, unless it is the last one. Never rejects: a failure is part of the result. */
  async send(to: Destination, delivery: WebhookRequest): Promise<Attempt> {
    const pausedMs = delivery.isLast ? 0 : this.#beginTry(to.url);
    if (pausedMs > 0) return { isOver: false, reply: "left alone after failures", pausedMs };
    const attempt = await this.#post(to, delivery).catch((thrown: unknown): Attempt => {
      return { isOver: false, reply: thrown instanceof Error ? thrown.message : "no answer" };
    });
    this.#count(to.url, attempt);
    return attempt;
  }

  async #post({ url, signers }: Destination, { id, body, signal }: WebhookRequest): Promise<Attempt> {
    const { clock, timeoutMs, fetch: send } = this.#options;
    const tooLate = new AbortController();
    const cancel = clock.after(timeoutMs, () => tooLate.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const bytes = encodeText(body);
    const seconds = Math.floor(clock.now() / 1000);
    try {
      const response = await send(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "toolwire-webhooks",
          "webhook-id": id,
          "webhook-timestamp": `${seconds}`,
          "webhook-signature": signWebhook(signers, id, seconds, bytes),
        },
        body: bytes,
        redirect: "manual",
        signal: AbortSignal.any([signal, tooLate.signal]),
      });
      void response.body?.cancel().catch(() => {});
      return this.#read(response);
    } finally {
      cancel();
    }
  }

  #read({ status, ok, headers }: Response): Attempt {
    // 410: the receiver wants no more of them.
    if (ok || status === 410) return { isOver: true, reply: `${status}` };
    const header = headers.get("retry-after") ?? "";
    const delayMs = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - this.#options.clock.now();
    const retryAfterMs = Math.min(delayMs, MAX_RETRY_AFTER_MS);
    return { isOver: false, reply: `${status}`, ...(retryAfterMs > 0 && { retryAfterMs }) };
  }

  /** Time until an endpoint may be tried, in milliseconds; 0: now. After a pause it is tried once, with the others still waiting. */
  #beginTry(url: string): number {
    const { count, pausedUntilMs } = this.#failures.get(url) ?? { count: 0, pausedUntilMs: 0 };
    if (count < MAX_FAILURES) return 0;
    const nowMs = this.#options.clock.now();
    if (nowMs < pausedUntilMs) return pausedUntilMs - nowMs;
    this.#failures.set(url, { count, pausedUntilMs: nowMs + PAUSE_MS });
    return 0;
  }

  #count(url: string, { isOver, reply }: Attempt): void {
    const { count: before = 0 } = this.#failures.get(url) ?? {};
    this.#failures.delete(url);
    if (isOver) return;
    const count = before + 1;
    this.#failures.set(url, { count, pausedUntilMs: this.#options.clock.now() + PAUSE_MS });
    if (count !== MAX_FAILURES) return;
    this.#options.logger?.warn("An endpoint of webhooks fails: it is tried once a minute until it answers", {
      host: URL.canParse(url) ? new URL(url).host : undefined,
      reply,
    });
  }
}
