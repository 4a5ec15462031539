/** Limits on requests for lists, which are not calls: the part of the server's middleware that is for them. */
import type { Call, Peer } from "../call/call.ts";
import { type CallResult, type ErrorResult, errorResult } from "../call/outcome.ts";
import { chain, type MaybeFuture } from "../../internal/future.ts";
import type { ListMiddleware, Middleware } from "../handler/middleware.ts";
import { EMPTY_DEFINITION } from "../tool/definition.ts";
import { CallContext } from "./call_context.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** Name of a list, such as `list:tools`, as middleware that limits lists sees it in `ctx.tool`. No tool can have it. */
export type ListName = `list:${string}`;

/** Asks whether a caller may have a list now. Returns the error to answer with; `undefined` if the list may be sent. */
export type AdmitList = (list: ListName, peer: Peer) => MaybeFuture<ErrorResult | undefined>;

const ADMITTED: CallResult = { kind: "answer", value: null };

/** Creates the function that asks the list limits of a server, which are part of its middleware. Asks nothing without such middleware. */
export function createListLimits(dispatcher: Dispatcher, middleware: readonly Middleware[]): AdmitList {
  const limits = middleware.flatMap((one: Middleware & ListMiddleware) => one["~lists"] ?? []);
  if (limits.length === 0) return () => undefined;
  return (list, peer) => {
    const call: Call = { tool: list, args: {}, meta: undefined, peer };
    const definition = { ...EMPTY_DEFINITION, name: list, description: list, handler: () => undefined };
    const result = dispatcher.runWithin(
      new CallContext(definition, call, dispatcher, undefined),
      limits,
      () => ADMITTED,
    );
    return chain(result, (last) => last.kind === "answer" ? undefined : dispatcher.refuse(call, toError(last)));
  };
}

/** The error for a list that was not admitted. Only calls have outcomes. */
function toError(result: CallResult): ErrorResult {
  if (result.kind === "error") return result;
  return errorResult("permission_denied", result.kind === "failure" ? result.message : "The list is not available");
}
