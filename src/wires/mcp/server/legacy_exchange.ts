/**
 * Contract between the methods of the revisions with a handshake and their transports: preferences of callers, and questions to them.
 *
 * Transports keep what has to last from one request to the next, possibly in a store that is read with every request. The sizes
 * are therefore limited.
 */
import type { MaybePromise } from "../../../internal/async.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import type { LegacyVersion } from "../protocol/constants.ts";
import { encodeMessage, type InputRequest, type RequestMessage, type ResponseMessage } from "../protocol/messages.ts";
import type { McpExchange } from "./exchange.ts";
import { type CallResult, type ErrorResult, errorResult, type Question } from "../../../core/call/outcome.ts";
import type { Clock } from "../../../internal/time.ts";
import type { WireHost } from "../../wire.ts";
import { missingFor, nameCapabilities } from "../protocol/capabilities.ts";
import { fromInputResponses, inputKey, toSeparateRequest } from "./input_requests.ts";
import type { FinalResult } from "./response.ts";
import type { Revision } from "./revision.ts";

/** What a server knows of a client after `initialize`. Transports with sessions keep it between requests. */
export interface LegacyCaller {
  /** The negotiated protocol version. */
  readonly version: LegacyVersion;
  /** Capabilities of the client; `undefined` if they are unknown. */
  readonly capabilities: unknown;
  /** Name and version of the client. */
  readonly info: unknown;
  /** Minimum level of log messages; `undefined` if the client has not set it. */
  readonly logLevel: string | undefined;
}

/** One request of a revision with a handshake, with the ways to ask and notify its client. */
export interface LegacyExchange extends McpExchange {
  readonly caller: LegacyCaller;
  /**
   * Sends a request to the client; `undefined` if the client cannot receive one. Never rejects. Resolves with `undefined` if there
   * is no response in time.
   */
  readonly sendRequest: ((request: InputRequest) => Promise<ResponseMessage | undefined>) | undefined;
  /** Reports the status of a task to the client; `undefined` if it cannot be reached between its requests. */
  readonly reportTask?: ((watch: WatchTask) => void) | undefined;
  /** Stores a preference, if the transport stores any. */
  savePreference(change: PreferenceChange): MaybePromise<void>;
}

/** Watches a task and reports its status, until `ended` aborts. The watch can outlast the request. Never rejects. */
export type WatchTask = (report: (task: Members) => void, ended: AbortSignal) => Promise<void>;

/** A change of what notifications a caller wants: level of log messages, or the URI of a resource. */
export type PreferenceChange =
  | { readonly logLevel: string }
  | { readonly subscribe: string }
  | { readonly unsubscribe: string };

/** What a client of the revisions with a handshake has asked the server to send. */
export interface Preferences {
  /** Minimum level of log messages. */
  readonly logLevel: string | null | undefined;
  /** URIs of resources whose changes the caller is notified of. */
  readonly subscriptions: readonly string[];
}

/** Maximum length of the URI of a subscription, in UTF-16 code units. */
export const MAX_URI_LENGTH = 2_048;

/** Maximum number of subscriptions of one caller. When it is exceeded, the oldest are dropped. */
const MAX_SUBSCRIPTIONS = 1_000;

/** Maximum length of all their URIs, in UTF-16 code units. */
const MAX_LENGTH = 131_072;

/** Applies a change to a copy. Drops the oldest subscriptions beyond the limits. Returns the same object for an existing subscription. */
export function withPreference<Kept extends Preferences>(preferences: Kept, change: PreferenceChange): Kept {
  const { subscriptions } = preferences;
  if ("logLevel" in change) return { ...preferences, logLevel: change.logLevel };
  if ("unsubscribe" in change) {
    return { ...preferences, subscriptions: subscriptions.filter((uri) => uri !== change.unsubscribe) };
  }
  if (subscriptions.includes(change.subscribe)) return preferences;
  const all = [...subscriptions, change.subscribe];
  let length = all.reduce((sum, uri) => sum + uri.length, 0);
  let first = 0;
  for (; all.length - first > MAX_SUBSCRIPTIONS || length > MAX_LENGTH; first++) length -= all[first]?.length ?? 0;
  return { ...preferences, subscriptions: all.slice(first) };
}

/** One question, with the request that asks it and the key of its answer. */
interface AskedQuestion {
  readonly key: string;
  readonly question: Question;
  readonly request: InputRequest;
}

/** The client's answers, by key; or the final result of the request, without answers. */
type ClientAnswers = { readonly responses: Members } | { readonly result: FinalResult };

/** The request of a client during which the server asks it. */
export interface AskingRequest {
  readonly id: RequestMessage["id"];
  readonly exchange: LegacyExchange;
  readonly revision: Revision;
}

/** Asks the questions of a tool, resource or prompt by requests to the client, while the client's own request is open. */
export class LegacyQuestions {
  readonly #host: WireHost;
  readonly #request: AskingRequest;
  /** Ids of the URLs that the user has agreed to visit. */
  #visits: string[] = [];

  constructor(host: WireHost, request: AskingRequest) {
    this.#host = host;
    this.#request = request;
  }

  /** Asks all questions at once and waits for the answers. If one cannot be asked or is not answered, returns the request's failure or error. */
  async ask(questions: Readonly<Record<string, Question>>): Promise<ClientAnswers> {
    const { sendRequest, caller: { capabilities } } = this.#request.exchange;
    // Without a session, what the client has declared is unknown. It is asked: it may answer.
    const missing = capabilities === undefined ? undefined : missingFor(Object.values(questions), capabilities);
    if (missing !== undefined) return unanswered(`cannot be asked. ${needs(missing)}`, missing);
    if (sendRequest === undefined) return unanswered(NO_STREAM);
    const requests = this.#toRequests(questions);
    if ("kind" in requests) return { result: requests };
    const sent = requests.map(async ({ request, ...asked }) => ({
      ...asked,
      request,
      message: await sendRequest(request),
    }));
    const responses: Record<string, unknown> = {};
    for (const { key, question, request: { method, params: { elicitationId } }, message } of await Promise.all(sent)) {
      if (message === undefined) return { result: TIMED_OUT };
      const response = readResponse(message);
      if (typeof response === "string") {
        const missing = mayLackCapability(message) ? missingFor([question], capabilities) : undefined;
        return unanswered(
          `could not answer ${method}: ${response}${missing === undefined ? "" : `. ${needs(missing)}`}`,
          missing,
        );
      }
      responses[key] = response;
      const isVisit = isJsonObject(response) && response["action"] === "accept" && typeof elicitationId === "string";
      if (isVisit) this.#visits.push(elicitationId);
    }
    return { responses: fromInputResponses(responses) };
  }

  #toRequests(questions: Readonly<Record<string, Question>>): readonly AskedQuestion[] | ErrorResult {
    const { id, revision } = this.#request;
    try {
      return Object.entries(questions).map(([key, question]) => {
        return { key: inputKey(key, question), question, request: toSeparateRequest(key, id, question, revision) };
      });
    } catch (thrown) {
      return this.#host.dispatch.mask(thrown, {});
    }
  }

  /** Notifies the client that the visits of URLs are complete, if the request has an answer. */
  async finish({ kind }: CallResult): Promise<void> {
    const visits = this.#visits;
    this.#visits = [];
    if (kind !== "answer" || visits.length === 0) return;
    const channel = this.#request.exchange.channel();
    for (const elicitationId of visits) {
      await channel?.send(encodeMessage({ method: "notifications/elicitation/complete", params: { elicitationId } }));
    }
  }
}

const TIMED_OUT: ErrorResult = errorResult(
  "deadline_exceeded",
  "The client did not answer the question of the tool in time",
);

const NO_STREAM =
  "cannot be asked, since its request accepts no stream: send Accept: application/json, text/event-stream";

/** The failure `unanswered`: final result of a request whose client "cannot be asked", or another `reason`. */
export function unanswered(reason: string, requiredCapabilities?: Members): { readonly result: FinalResult } {
  const message = `This needs an answer of the client, which ${reason}`;
  const data = requiredCapabilities === undefined ? undefined : { requiredCapabilities };
  return { result: { kind: "failure", code: "unanswered", message, data } };
}

/** What a client is to do that cannot be asked. */
function needs(missing: Members): string {
  return `It has to declare the capability ${
    nameCapabilities(missing)
  } in initialize, and answer such requests; use a client that does`;
}

/** Whether the error of a response is one of those that clients send which do not have a capability, or a mode of it. */
function mayLackCapability({ error }: ResponseMessage): boolean {
  return [-32600, -32601, -32602].some((code) => code === asObject(error)["code"]);
}

/** The result of a response; if it is an error, its message as text. */
function readResponse({ result, error }: ResponseMessage): unknown {
  if (!isJsonObject(error)) return isJsonObject(result) ? result : {};
  // The user has declined.
  if (error["code"] === -1) return { action: "decline" };
  return String(error["message"] ?? "no reason given").slice(0, 256);
}

/**
 * Who was asked: a connection, a session, or the principal of a request without a session. Ids of requests are random but no secret:
 * logs and proxies have them, and a response with the id of another caller's request must not answer it.
 */
export type AskedPeer = object | string | undefined;

/** A question that was sent to the client and is not answered yet. */
interface PendingRequest {
  readonly asked: AskedPeer;
  readonly settle: (response: ResponseMessage | undefined) => void;
}

/** Requests of the server that have no response of the client yet. Only the client that was asked can respond. */
export class PendingRequests {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pending = new Map<string, PendingRequest>();

  /** @param timeoutMs Time limit for a response, in milliseconds. */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request. Resolves with its response, or with `undefined` if it does not arrive in time or `closed` aborts. */
  request(
    { method, params }: InputRequest,
    send: (json: string) => unknown,
    closed: AbortSignal | undefined,
    asked: AskedPeer,
  ): Promise<ResponseMessage | undefined> {
    if (closed?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const id = crypto.randomUUID();
      const giveUp = () => this.#pending.get(id)?.settle(undefined);
      const cancel = this.#clock.after(this.#timeoutMs, giveUp);
      const settle: PendingRequest["settle"] = (response) => {
        this.#pending.delete(id);
        closed?.removeEventListener("abort", giveUp);
        cancel();
        resolve(response);
      };
      this.#pending.set(id, { asked, settle });
      closed?.addEventListener("abort", giveUp);
      // A question that was not sent has no response: neither its timer nor its id stays.
      const fail = (thrown: unknown): void => {
        reject(thrown);
        giveUp();
      };
      try {
        Promise.resolve(send(encodeMessage({ id, method, params }))).catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    });
  }

  /** Ends all requests: they resolve with `undefined`. */
  close(): void {
    for (const { settle } of [...this.#pending.values()]) settle(undefined);
  }

  /** Takes a response of a peer. Responses to unknown requests, and to those of other peers, are ignored. */
  resolve(response: ResponseMessage, from: AskedPeer): void {
    const pending = typeof response.id === "string" ? this.#pending.get(response.id) : undefined;
    if (pending?.asked === from) pending?.settle(response);
  }
}
