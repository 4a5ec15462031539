/** The interface through which all calls of a server can be observed, those that no middleware sees included. */
import type { Call, Metadata } from "../call/call.ts";
import type { CallEvent, CallResult, ErrorResult } from "../call/outcome.ts";
import { callGuarded } from "../../internal/async.ts";
import { chain, type Future } from "../../internal/future.ts";

/**
 * Observes the calls of a server. Its methods run synchronously within the call; what they throw or reject with is logged, and changes no
 * call. They must copy what they keep: arguments and results belong to the call.
 */
export interface CallObserver {
  /**
   * A call begins, before any middleware, or an attempt of a job.
   *
   * @param attempt Number of the attempt, from 1, of a job; `undefined` for a call.
   * @returns What `end` gets, such as the time of the begin.
   */
  begin(begun: BegunCall, attempt: number | undefined): unknown;
  /**
   * A call has the result that its caller gets, or an attempt has ended.
   *
   * @param began What `begin` returned.
   */
  end(began: unknown, begun: BegunCall, result: CallResult): void;
  /** A call is refused before it begins: an unknown tool, a missing scope, arguments that are not an object, or a server that closes. */
  refuse(call: Call, error: ErrorResult): void;
  /** A request over HTTP was answered. Replies of streams may still have their body to send. */
  reply(request: ObservedRequest, status: number): void;
}

/** A call that has begun, as observers get it, with the schemas of its tool. */
export interface BegunCall {
  /** The call as received, before validation. */
  readonly call: Call;
  /** Name and schemas of the tool, prompt or resource that it runs. */
  readonly definition: {
    readonly name: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
    /** Schema of the answer; `undefined` for none. */
    readonly output?: { readonly jsonSchema: Readonly<Record<string, unknown>> } | undefined;
    /** Schema of each piece of a stream; `undefined` for none. */
    readonly partial?: { readonly jsonSchema: Readonly<Record<string, unknown>> } | undefined;
    /** Schemas of the data of failures, by their codes. */
    readonly errors?:
      | ReadonlyMap<string, { readonly jsonSchema: Readonly<Record<string, unknown>> } | undefined>
      | undefined;
  };
  /** Calls `listener` for each event of the call, even if its caller does not stream. Exceptions of the listener are logged. */
  onEvent(listener: (event: CallEvent) => void): void;
}

/** A request over HTTP, without its body. */
export interface ObservedRequest {
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path without query. It may hold a promise token. */
  readonly path: string;
  /** Headers of the request. A call that came by it has the same object as its metadata, by which observers match both. */
  readonly metadata: Metadata;
}

/** Returns the result of a call unchanged, after `observer.end` has received it; `began` is what `observer.begin` returned. */
export function observe(
  observer: CallObserver,
  began: unknown,
  begun: BegunCall,
  running: CallResult | Future<CallResult>,
): CallResult | Future<CallResult> {
  return chain<CallResult, CallResult>(running, (result) => {
    observer.end(began, begun, result);
    return result;
  });
}

/** An observer that never throws and whose promises never reject, so that a fault in it costs no call its result. */
export class GuardedObserver implements CallObserver {
  readonly #observer: CallObserver;
  readonly #report: (thrown: unknown) => void;

  /** @param report Gets what the observer throws, or rejects with. */
  constructor(observer: CallObserver, report: (thrown: unknown) => void) {
    this.#observer = observer;
    this.#report = report;
  }

  begin(begun: BegunCall, attempt: number | undefined): unknown {
    return callGuarded(() => this.#observer.begin(begun, attempt), this.#report);
  }

  end(began: unknown, begun: BegunCall, result: CallResult): void {
    callGuarded(() => this.#observer.end(began, begun, result), this.#report);
  }

  refuse(call: Call, error: ErrorResult): void {
    callGuarded(() => this.#observer.refuse(call, error), this.#report);
  }

  reply(request: ObservedRequest, status: number): void {
    callGuarded(() => this.#observer.reply(request, status), this.#report);
  }
}
