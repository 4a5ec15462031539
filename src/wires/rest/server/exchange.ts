/**
 * One call over HTTP, from its dispatch to its reply.
 *
 * @module
 */
import { readPromise } from "../../../core/dispatch/deferral.ts";
import type { Call } from "../../../core/call/call.ts";
import type { AnswerOutcome, CallResult, ErrorResult, PromiseOutcome } from "../../../core/call/outcome.ts";
import { acceptsEventStream, acceptsType } from "../../../internal/http.ts";
import type { Deadlines } from "../../../internal/deadlines.ts";
import { chain, Future, type MaybeFuture } from "../../../internal/future.ts";
import { EventStream } from "../../framing/event_stream.ts";
import { mountPath, publicPath } from "../../framing/http.ts";
import { promiseToJson } from "../../framing/result/encode.ts";
import { encodeSseEvent, STREAM_HEADERS } from "../../framing/sse.ts";
import { type Head, HeadPeer, type Reply, type WireHost } from "../../wire.ts";
import { ENVELOPE_TYPE } from "../messages/problem.ts";
import { FilePreferences } from "./accept.ts";
import {
  answerReply,
  encodeEnvelope,
  envelopeReply,
  errorProblemReply,
  problemOf,
  problemReply,
  promiseReply,
} from "./encode.ts";
import { FileStream } from "./file_stream.ts";
import { fileReply } from "./files.ts";
import type { Preferences } from "./prefer.ts";

/** Name of the wire in calls and log lines. */
export const WIRE_NAME = "rest";

/** What a call over REST needs of its server: dispatch, challenges of `auth`, clock, path of the tools, heartbeats. */
export interface ExchangeHost extends Pick<WireHost, "dispatch" | "challenge" | "clock"> {
  /** Path of the tools, without the path of a mount. */
  readonly toolsPath: string;
  readonly heartbeats: Deadlines;
}

/** One call over REST: calls the tool, and encodes the result for the request that it came with. */
export class Exchange {
  readonly #host: ExchangeHost;
  readonly #head: Head;
  readonly #call: Call;
  /** Preferences that apply to the call. */
  readonly #preferences: Preferences | undefined;
  /** The media types of files that the caller prefers to JSON; `undefined` if it names none. */
  readonly #files: FilePreferences | undefined;

  constructor(host: ExchangeHost, head: Head, call: Omit<Call, "peer">, preferences: Preferences | undefined) {
    const accept = head.metadata.get("accept");
    const isStreamed = head.method !== "HEAD" && acceptsEventStream(accept);
    this.#host = host;
    this.#head = head;
    this.#files = FilePreferences.of(accept);
    const mayStream = isStreamed || this.#files !== undefined;
    this.#call = { ...call, peer: new HeadPeer(head, WIRE_NAME, undefined, mayStream) };
    this.#preferences = preferences;
    this.isStreamed = isStreamed;
  }

  /** Whether the caller accepts a stream of events. */
  readonly isStreamed: boolean;

  /** Calls the tool, and returns its result as a reply: a stream of events if the caller accepts one, except for an immediate problem. */
  run(): MaybeFuture<Reply> {
    if (this.isStreamed) return this.#stream();
    if (this.#files !== undefined && this.#head.method !== "HEAD") return this.#streamFile(this.#files);
    const startedMs = this.#host.clock.elapsed();
    const result = this.#host.dispatch.call(this.#call);
    if (result instanceof Future || result.kind === "promise") this.#head.disableIdleTimeout();
    return chain(chain(result, (first) => this.#waitFurther(first, startedMs)), (last) => this.#reply(last));
  }

  /** Waits as long as the caller prefers to, if that is longer than the tool waits before it promises. */
  #waitFurther(first: CallResult, startedMs: number): MaybeFuture<CallResult> {
    if (first.kind !== "promise" || this.#call.tool === "redeem") return first;
    const leftMs = (this.#preferences?.waitMs ?? 0) - (this.#host.clock.elapsed() - startedMs);
    if (leftMs < 1) return first;
    const args = { promise: first.token, wait_ms: Math.floor(leftMs) };
    const redeemed = this.#host.dispatch.call({ tool: "redeem", args, meta: undefined, peer: this.#call.peer });
    // If the promise cannot be redeemed now, the caller may do so later.
    return chain(redeemed, (later) => later.kind === "error" ? first : later);
  }

  #stream(): Future<Reply> {
    this.#head.disableIdleTimeout();
    const reply = new Future<Reply>();
    const stream = new EventStream({
      heartbeats: this.#host.heartbeats,
      heartbeatMs: this.#call.meta?.heartbeatMs,
      onOpen: (body) => reply.receive({ status: 200, headers: STREAM_HEADERS, body }),
    });
    chain(this.#host.dispatch.call(this.#call, stream), (result) => {
      const isProblem = result.kind !== "answer" && result.kind !== "promise";
      if (isProblem && !stream.isOpen) {
        stream.finish();
        reply.receive(this.#reply(result));
      } else stream.end(this.#lastEvent(result));
    });
    return reply;
  }

  /** Sends pieces of text or bytes as they come; other results as without a stream. */
  #streamFile(preferences: FilePreferences): Future<Reply> {
    this.#head.disableIdleTimeout();
    const { dispatch, clock } = this.#host;
    const startedMs = clock.elapsed();
    const reply = new Future<Reply>();
    const stream = new FileStream(preferences, (body) => reply.receive({ status: 200, headers: stream.headers, body }));
    const result = chain(
      dispatch.call(this.#call, stream),
      (first) => stream.isBody ? first : this.#waitFurther(first, startedMs),
    );
    chain(result, (last) => {
      if (!stream.isBody) {
        stream.finish();
        return reply.receive(this.#reply(stream.join(last)));
      }
      if (last.kind === "answer" && stream.problem === undefined) return stream.end();
      const reason = stream.problem ?? `the call ended with ${last.kind}`;
      const hasReader = !stream.isEnded;
      if (hasReader || stream.problem !== undefined) {
        dispatch.log("warn", "Stream broken off", { tool: this.#call.tool, reason });
      }
      stream.breakOff(new Error(`The stream was broken off: ${reason}`));
    });
    return reply;
  }

  #reply(result: CallResult): Reply {
    try {
      return this.#encode(result);
    } catch (thrown) {
      return errorProblemReply(this.#serializationError(thrown), this.#instance);
    }
  }

  #encode(result: CallResult): Reply {
    switch (result.kind) {
      case "answer":
        return this.#applied(this.#encodeAnswer(result));
      case "promise":
        return this.#applied(promiseReply(result, this.#locationOf(result)));
      case "error":
        return errorProblemReply(
          result,
          this.#instance,
          undefined,
          this.#host.challenge(result, this.#host.toolsPath),
        );
      default:
        return problemReply(problemOf(result, this.#instance));
    }
  }

  #encodeAnswer(answer: AnswerOutcome): Reply {
    if (acceptsType(this.#head.metadata.get("accept"), ENVELOPE_TYPE)) return envelopeReply(answer);
    return (this.#files && fileReply(answer.value, this.#files)) ?? answerReply(answer);
  }

  /** The last event of a stream: an answer, a promise or a problem. */
  #lastEvent(result: CallResult): string {
    try {
      if (result.kind === "answer") return encodeSseEvent("done", encodeEnvelope(result));
      if (result.kind !== "promise") {
        return encodeSseEvent("error", JSON.stringify(problemOf(result, this.#instance)));
      }
      const _meta = { response_type: result.kind, ...promiseToJson(result) };
      return encodeSseEvent("done", JSON.stringify({ _meta }));
    } catch (thrown) {
      const error = this.#serializationError(thrown);
      return encodeSseEvent("error", JSON.stringify(problemOf(error, this.#instance)));
    }
  }

  #serializationError(thrown: unknown): ErrorResult {
    const error = new TypeError("The result cannot be written as JSON", { cause: thrown });
    return this.#host.dispatch.mask(error, { tool: this.#call.tool });
  }

  get #instance(): string {
    return publicPath(this.#head);
  }

  /** Adds the header that names the preferences that were applied. */
  #applied(reply: Reply): Reply {
    if (this.#preferences === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, "preference-applied": this.#preferences.applied } };
  }

  /** Path of a promise, below the tool that gives it: `redeem` and `call_tool` return promises of other tools. */
  #locationOf({ token }: PromiseOutcome): string | undefined {
    const { toolsPath, dispatch } = this.#host;
    const terms = readPromise(dispatch, token, this.#call.peer);
    if ("kind" in terms) return undefined;
    return `${mountPath(this.#head)}${toolsPath}/${encodeURIComponent(terms.tool)}/promises/${token}`;
  }
}
