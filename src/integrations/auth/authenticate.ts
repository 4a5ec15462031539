/**
 * Who calls: asked once for each request, before its body is read, on every wire alike.
 *
 * Nobody gets past what breaks: whatever is thrown refuses the request.
 *
 * @module
 */
import type { Metadata, Principal } from "../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { settleThrown } from "../../core/dispatch/error_masking.ts";
import { Deadlines } from "../../internal/deadlines.ts";
import { isJsonObject } from "../../internal/json.ts";
import { checkOptions, type OptionRules, POSITIVE } from "../../internal/options.ts";
import { isPromiseLike, type MaybePromise } from "../../internal/async.ts";
import type { Auth, MountedAuth } from "../../server/auth.ts";
import { refusalReply } from "../../wires/framing/json_rpc/reply.ts";
import type { Body, Head, MountedWire, Reply, WireHost } from "../../wires/wire.ts";
import { encodeChallenge } from "./challenge.ts";

/** What is known of a request before its body is read: the same on every wire. */
export interface AuthRequest {
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path of the URL, without query: tokens do not belong there. */
  readonly path: string;
  /** HTTP headers or gRPC metadata. */
  readonly metadata: Metadata;
}

/**
 * Tells who makes a request; `undefined` for nobody in particular. A thrown `ToolError` refuses the request, with its code;
 * whatever else is thrown is masked, and refuses it as well.
 */
export type Identify = (request: AuthRequest) => MaybePromise<Principal | undefined>;

/** Options of {@link authenticate}. */
export interface AuthenticateOptions {
  /** How long it may take to tell who calls, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** What they have to be. */
export const AUTHENTICATE_RULES: OptionRules<AuthenticateOptions> = { timeoutMs: POSITIVE };

/**
 * Finds out who calls, by any means: `createServer({ auth: authenticate((request) => …) })`. Where callers show a token, `bearer`
 * and `jwt` read it.
 *
 * @example Callers with keys of their own
 * ```ts
 * import { createServer, defineTool, ToolError } from "jsr:@toolwire/toolwire";
 * import { authenticate } from "jsr:@toolwire/toolwire/auth";
 * import { strictEqual } from "node:assert/strict";
 *
 * const callers = new Map([["a key that nobody guesses", { id: "ada", scopes: ["docs:read"] }]]);
 * const whoami = defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id);
 *
 * const server = createServer({
 *   tools: [whoami],
 *   auth: authenticate(({ metadata }) => {
 *     const caller = callers.get(metadata.get("x-api-key") ?? "");
 *     if (caller === undefined) throw new ToolError("unauthenticated", "Send your key in x-api-key");
 *     return caller;
 *   }),
 * });
 * const response = await server.fetch(new Request("http://localhost/mcp-lite/v1/tools", { method: "POST" }));
 * strictEqual(response.status, 401);
 * ```
 * @throws {TypeError} If it is no function, or an option is not what it should be.
 * @throws {RangeError} If `timeoutMs` is not above 0.
 */
export function authenticate(identify: Identify, options: AuthenticateOptions = {}): Auth {
  if (typeof identify !== "function") {
    throw new TypeError("Cannot authenticate callers: pass a function ({ metadata }) => principal");
  }
  checkOptions("authenticate callers", options, AUTHENTICATE_RULES);
  const { timeoutMs = 10_000 } = options;
  return { mount: (host, routes) => new Guard(identify, timeoutMs, host, routes) };
}

const TOO_LATE: ErrorResult = errorResult("deadline_exceeded", "It took too long to tell who calls");

class Guard implements MountedAuth {
  readonly #identify: Identify;
  readonly #timeoutMs: number;
  readonly #host: WireHost;
  readonly #routes: ReadonlyMap<string, MountedWire>;
  readonly #deadlines: Deadlines;

  constructor(identify: Identify, timeoutMs: number, host: WireHost, routes: ReadonlyMap<string, MountedWire>) {
    this.#identify = identify;
    this.#timeoutMs = timeoutMs;
    this.#host = host;
    this.#routes = routes;
    this.#deadlines = new Deadlines(host.clock);
  }

  answer(head: Head, body: Body, wire: MountedWire): MaybePromise<Reply> {
    if (wire.unauthenticatedPaths?.includes(head.path)) return wire.handle(head, body);
    const refused = this.#admit(head);
    if (refused === undefined) return wire.handle(head, body);
    if (!(refused instanceof Promise)) return this.#refuse(head, body, wire, refused);
    return refused.then((refusal) => {
      return refusal === undefined ? wire.handle(head, body) : this.#refuse(head, body, wire, refusal);
    });
  }

  challenge(refusal: ErrorResult, path: string): Readonly<Record<string, string>> | undefined {
    const resources = [...this.#routes.values()].flatMap(({ protectedResource }) => protectedResource ?? []);
    return encodeChallenge(refusal, path, resources);
  }

  /** Has the head say who calls; or tells why the request goes no further. */
  #admit(head: Head): MaybePromise<ErrorResult | undefined> {
    const { method, path, metadata } = head;
    try {
      const principal = this.#identify({ method, path, metadata });
      return isPromiseLike(principal) ? this.#await(head, principal) : admit(head, principal);
    } catch (thrown) {
      return this.#refusalOf(thrown);
    }
  }

  #await(head: Head, known: PromiseLike<unknown>): Promise<ErrorResult | undefined> {
    return new Promise((resolve) => {
      const deadline = this.#deadlines.add(this.#timeoutMs, () => resolve(TOO_LATE));
      Promise.resolve(known).then((principal) => admit(head, principal))
        .catch((thrown) => this.#refusalOf(thrown))
        .then((refusal) => {
          deadline.clear();
          resolve(refusal);
        });
    });
  }

  #refusalOf(thrown: unknown): ErrorResult {
    try {
      const refusal = settleThrown(thrown);
      if (refusal?.kind === "error") {
        // What it comes from is the server's own trouble, such as keys that cannot be had. Nothing broke: it is a refusal.
        if ((thrown as Error).cause !== undefined) {
          this.#host.dispatch.warn("Caller refused", { during: "auth", code: refusal.code, error: thrown });
        }
        return refusal.data === undefined ? refusal : { ...refusal, data: JSON.parse(JSON.stringify(refusal.data)) };
      }
    } catch {
      // Its details are no JSON.
    }
    return this.#host.dispatch.mask(thrown, { during: "auth" });
  }

  async #refuse(head: Head, body: Body, wire: MountedWire, refusal: ErrorResult): Promise<Reply> {
    // Over HTTP/2 the answer to a body that is not read may be lost to the reset of its stream. A stream with trailers is read on
    // by its runtime; its caller may wait for the answer before it ends the body.
    if (!head.carriesTrailers) await body.text();
    const reply = await (wire.refuse?.(head, refusal) ?? refusalReply(null, refusal));
    return { ...reply, headers: { ...reply.headers, ...this.challenge(refusal, head.path) } };
  }
}

function admit(head: Head, principal: unknown): undefined {
  if (principal !== undefined && !isPrincipal(principal)) {
    throw new TypeError(
      "Cannot tell who calls: a principal is { id, scopes?, claims? }, with an id that is not empty and scopes in an array; nobody is undefined",
    );
  }
  head.principal = principal;
}

/** Held to at run time: whose id is empty would be nobody, and of scopes in one text each part would be a scope. */
function isPrincipal(value: unknown): value is Principal {
  if (!isJsonObject(value)) return false;
  const { id, scopes = [] } = value;
  return typeof id === "string" && id !== "" && Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === "string");
}
