/** Who calls: the contract of `auth`, and callers that the program around the server has identified. */
import type { Principal } from "../core/call/call.ts";
import type { ErrorResult } from "../core/call/outcome.ts";
import { toRequestPrincipal } from "../core/call/principal.ts";
import { settleThrown } from "../core/dispatch/error_masking.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { chain, type MaybeFuture } from "../internal/future.ts";
import { refusalReply } from "./pages/refusal_reply.ts";
import {
  type AuthDescription,
  type Body,
  type Head,
  isUnauthenticated as isPublicPath,
  type MountedWire,
  type Reply,
  type WireHost,
} from "../wires/wire.ts";

/**
 * Authenticates callers on all wires; made by the functions of `./auth`, which bring the code.
 *
 * @typeParam Caller Type of the principals that it gives.
 */
export interface Auth<Caller extends Principal<object> = Principal<object>> {
  /** Types only. */
  readonly "~caller"?: Caller | undefined;
  /**
   * Mounts it on a server.
   *
   * @param routes The server's wires by their paths. They are mounted after this, so the map is complete at the first request.
   */
  mount(host: WireHost, routes: ReadonlyMap<string, MountedWire>): MountedAuth;
}

/** Authenticates requests before a wire of the server handles them. */
export interface MountedAuth extends Pick<WireHost, "challenge"> {
  /** How callers authenticate; `undefined` if that is not described. */
  readonly security?: AuthDescription | undefined;
  /**
   * Authenticates a request, sets the principal of its head, and passes it to the wire; answers with an error if that fails. Public
   * paths are passed on without. Never throws, never rejects.
   */
  answer(head: Head, body: Body, wire: MountedWire): MaybeFuture<Reply>;
}

/** Key of the mark of that refusal: a program may have several copies of this package, such as that of `toNodeHandler()` and that of the server. */
const UNKNOWN = Symbol.for("toolwire.unknown caller");

/**
 * The refusal of a caller whom the program around the server does not know, and from whom it accepts no anonymous calls. On a server with
 * `auth`, `auth` identifies the caller instead.
 */
export const UNKNOWN_TO_PROGRAM: ToolError = Object.assign(
  new ToolError("unauthenticated", "The caller is unknown: sign in to the application that serves this"),
  { [UNKNOWN]: true },
);

/** Whether a caller is refused by {@link UNKNOWN_TO_PROGRAM}, of this copy of the package or of another one. */
function isUnknownToProgram(refusal: ToolError | undefined): boolean {
  return refusal !== undefined && UNKNOWN in refusal;
}

/**
 * Answers a request whose caller the program around the server has identified, or refused. What is not a principal is an error of that
 * program: it is logged, and the caller gets a masked error. Public paths are passed to the wire.
 */
export function answerIdentified(
  head: Head,
  body: Body,
  wire: MountedWire,
  { host, auth }: { readonly host: WireHost; readonly auth: MountedAuth | undefined },
): MaybeFuture<Reply> {
  if (isPublicPath(wire, head.path)) return wire.handle(head, body);
  if (auth !== undefined && isUnknownToProgram(head.refusal)) return auth.answer(head, body, wire);
  const refusal = refusalOf(head, host);
  if (refusal === undefined) return wire.handle(head, body);
  const reply = refusalReply(head, wire, refusal, host.dispatch);
  return chain(reply, (sent) => ({ ...sent, headers: { ...sent.headers, ...host.challenge(refusal, head.path) } }));
}

/** Sets the principal of the head as handlers get it, or returns why the caller is refused. */
function refusalOf(head: Head, { dispatch }: WireHost): ErrorResult | undefined {
  try {
    if (head.refusal !== undefined) throw head.refusal;
    head.principal = toRequestPrincipal(head.principal, dispatch);
    return undefined;
  } catch (thrown) {
    const settled = settleThrown(thrown);
    return settled?.kind === "error" ? settled : dispatch.mask(thrown, { during: "auth" });
  }
}

/** How callers authenticate on a server with this `auth`: never `undefined`, so that wires can ask whether there is one. */
export function describeAuth({ security }: MountedAuth): AuthDescription {
  return security ?? { schemes: undefined, allowsAnonymous: false };
}
