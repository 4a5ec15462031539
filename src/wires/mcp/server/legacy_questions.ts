/**
 * Questions to clients of older revisions: each is a request of the server's, over the stream of the request that asks.
 *
 * @module
 */
import { type CallResult, type ErrorResult, errorResult, type Question } from "../../../core/call/outcome.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { WireHost } from "../../wire.ts";
import { notification } from "./call_sink.ts";
import { missingFor } from "../protocol/capabilities.ts";
import type { Dialect } from "./revision.ts";
import { fromInputResponses, inputKey, toAloneRequest } from "./input_requests.ts";
import type { InputRequest } from "../protocol/forms.ts";
import type { LegacyExchange } from "./legacy.ts";
import type { RequestMessage, ResponseMessage } from "../protocol/messages.ts";
import type { WorkEnd } from "./retryable_request.ts";

/** What a client said to questions, by key; or how the request ends that asked them. */
export type Asked = { readonly given: Members } | { readonly end: WorkEnd };

/** A request that asks. */
export interface AskingRequest {
  /** Its id. */
  readonly id: RequestMessage["id"];
  /** How it came. */
  readonly exchange: LegacyExchange;
  /** In which revision. */
  readonly dialect: Dialect;
}

/** Asks for one request. */
export class LegacyAsker {
  readonly #host: WireHost;
  readonly #request: AskingRequest;
  /** Ids of the pages that the client went to. */
  #pages: string[] = [];

  constructor(host: WireHost, request: AskingRequest) {
    this.#host = host;
    this.#request = request;
  }

  /** Asks everything at once; gives the answers, or why there are none. */
  async ask(requests: Readonly<Record<string, Question>>): Promise<Asked> {
    const { id, exchange: { ask, caller }, dialect } = this.#request;
    const missing = caller.capabilities === undefined
      ? undefined
      : missingFor(Object.values(requests), caller.capabilities);
    if (ask === undefined || missing !== undefined) {
      return unanswered(
        `cannot be asked${missing === undefined ? "" : `: it lacks ${Object.keys(missing).join(", ")}`}`,
      );
    }
    let questions: (readonly [string, InputRequest])[];
    try {
      questions = Object.entries(requests).map(([key, one]) => {
        return [inputKey(key, one), toAloneRequest(key, id, one, dialect)];
      });
    } catch (thrown) {
      return { end: this.#host.dispatch.mask(thrown, {}) };
    }
    const answers = await Promise.all(
      questions.map(async ([key, question]) => [key, question, await ask(question)] as const),
    );
    const given: Record<string, unknown> = {};
    for (const [key, { params: { elicitationId } }, response] of answers) {
      if (response === undefined) return { end: OVERDUE };
      const said = readResponse(response);
      if (typeof said === "string") return unanswered(`could not answer: ${said}`);
      given[key] = said;
      const isPage = isJsonObject(said) && said["action"] === "accept" && typeof elicitationId === "string";
      if (isPage) this.#pages.push(elicitationId);
    }
    return { given: fromInputResponses(given) };
  }

  /** The request has come to its end: what its client went to a page for is done, if that is an answer. */
  async finish({ kind }: CallResult): Promise<void> {
    const pages = this.#pages;
    this.#pages = [];
    if (kind !== "answer" || pages.length === 0) return;
    const channel = this.#request.exchange.channel();
    for (const elicitationId of pages) {
      await channel?.send(notification("notifications/elicitation/complete", { elicitationId }));
    }
  }
}

const OVERDUE: ErrorResult = errorResult("deadline_exceeded", "The client did not answer in time");

/** How a request ends that its client did not answer. */
export function unanswered(reason: string): { readonly end: WorkEnd } {
  const message = `This needs an answer of the client, which ${reason}`;
  return { end: { kind: "failure", code: "unanswered", message, data: undefined } };
}

/** What a client said to a question; why it said nothing, as text. */
function readResponse({ result, error }: ResponseMessage): unknown {
  if (!isJsonObject(error)) return isJsonObject(result) ? result : {};
  // The user has refused.
  if (error["code"] === -1) return { action: "decline" };
  return String(error["message"] ?? "no reason given").slice(0, 256);
}
