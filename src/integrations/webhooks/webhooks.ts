import type { CompletionTarget } from "../../core/dispatch/job_notifier.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, POSITIVE, required, rule, TEXT, TEXTS, wholeNumber } from "../../internal/options.ts";
import type { SendRequest } from "./endpoint.ts";
import { createNotifier, type EndedCall, type WebhookTarget } from "./notifier.ts";
import { readSecrets } from "./signature.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Default of {@link WebhookOptions.retryMs}: seven tries within 31 hours. */
const RETRY_MS = [5 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR];

/** Default of {@link WebhookOptions.timeoutMs}. */
const TIMEOUT_MS = 10_000;

/** An endpoint, and the secrets that sign what is sent to it. */
export interface WebhookEndpoint {
  /** URL that takes the webhooks by `POST`. */
  readonly url: string;
  /** `whsec_` and base64 of 24 to 64 random bytes. Of several, each signs: receivers may change from one to the next. */
  readonly secret: string | readonly string[];
}

/** Options of {@link webhook}. */
export interface WebhookOptions {
  /** Name, unique on the server, and part of the id of its webhooks. Default: `"webhook"`. */
  readonly name?: string | undefined;
  /** Names of the tools whose work is notified. Default: all. */
  readonly tools?: readonly string[] | undefined;
  /** Delays between the tries, in milliseconds. Default: 5 s, 1 min, 10 min, 1 h, 6 h, 24 h. */
  readonly retryMs?: readonly number[] | undefined;
  /** Time limit of one try, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Sends the requests. Default: `fetch`; for a function as the endpoint, one that refuses hosts whose addresses are not public, which needs
   * `node:https`.
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/**
 * Creates a target for `onComplete`, which sends a webhook when promised work has ended: to a fixed endpoint, or to one that a function chooses.
 *
 * The body has the promise token, and not the result:
 * `{ "type": "job.completed", "timestamp", "data": { "tool", "call_id", "promise" } }`.
 * `promise` is absent for calls with an idempotency key of a tool without `.promise()`. Types are `job.completed`, `job.failed` (with
 * `code`) and `job.cancelled`. A webhook is stored with the end of the work, and sent at least once, with the same `webhook-id` in each
 * try. 2xx and 410 end the tries.
 *
 * @example A server that notifies
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { verifyWebhook, webhook } from "jsr:@toolwire/toolwire/webhooks";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
 * const received = Promise.withResolvers<Request>();
 * const server = createServer({
 *   tools: [defineTool("report").describe("Write a report").promise().handle(() => "done")],
 *   onComplete: [webhook({ url: "https://hooks.example.com/done", secret }, {
 *     fetch: async (url, init) => { // stands for the receiver
 *       received.resolve(new Request(url, init));
 *       return new Response(null, { status: 204 });
 *     },
 *   })],
 * });
 * await testClient(server).report.start();
 *
 * const request = await received.promise;
 * const body = new Uint8Array(await request.arrayBuffer());
 * console.log(verifyWebhook(secret)(body, request.headers)); // → true
 * console.log(JSON.parse(new TextDecoder().decode(body)).type); // → job.completed
 * await server.close();
 * ```
 * @param endpoint The endpoint. A function is for URLs that callers have given, such as those of a database: they must be HTTPS with public
 * addresses. `undefined` sends nothing.
 * @returns For the option `onComplete` of a server.
 * @throws {TypeError} If an option is invalid or unknown, or a secret is not `whsec_` and base64.
 * @throws {RangeError} If `timeoutMs` is not a number above 0.
 */
export function webhook(
  endpoint: WebhookEndpoint | ((call: EndedCall) => MaybePromise<WebhookEndpoint | undefined>),
  options: WebhookOptions = {},
): CompletionTarget {
  checkOptions<WebhookOptions>("send webhooks", options, {
    name: TEXT,
    tools: TEXTS,
    retryMs: rule("an array of milliseconds", (value) => Array.isArray(value) && value.every(wholeNumber(0).fits)),
    timeoutMs: POSITIVE,
    fetch: FUNCTION,
  });
  const { name = "webhook", tools, retryMs = RETRY_MS, timeoutMs = TIMEOUT_MS } = options;
  const isChosen = typeof endpoint === "function";
  const fixed = isChosen ? undefined : destinationOf(endpoint);
  const target: WebhookTarget = {
    name,
    "~notifier": createNotifier,
    "~target": {
      tools: tools && new Set(tools),
      retryMs,
      timeoutMs,
      // Read when it is called, so that tests and instrumentation can replace the global.
      fetch: options.fetch ?? (isChosen ? fetchPublic : (url, init) => fetch(url, init)),
      destinationOf: async (call) => {
        const chosen = isChosen ? await endpoint(call) : undefined;
        return chosen === undefined ? fixed : destinationOf(chosen);
      },
    },
  };
  return target;
}

/** @throws {TypeError} If the URL or a secret is invalid. */
function destinationOf(endpoint: WebhookEndpoint) {
  checkOptions<WebhookEndpoint>("send webhooks", endpoint, {
    url: required(rule("an absolute URL, such as https://hooks.example.com/done", isHttpUrl)),
    secret: required(rule("text, or an array of texts", (value) => TEXT.fits(value) || TEXTS.fits(value))),
  });
  return { url: endpoint.url, signers: readSecrets(endpoint.secret) };
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
}

/** Loads the library for addresses when the first URL is chosen at run time. */
const fetchPublic: SendRequest = async (url, init) => {
  const { publicFetch } = await import("./runtime/public_fetch.ts");
  return await publicFetch()(url, init);
};
