/** Replies to requests that a server refuses before their wire handles them. */
import type { ErrorResult } from "../../core/call/outcome.ts";
import type { Dispatch } from "../../core/dispatch/dispatcher.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { errorReply } from "../../wires/framing/json_rpc/reply.ts";
import type { Head, MountedWire, Reply } from "../../wires/wire.ts";

/** Encodes a refusal as its wire does. Without that, or if the wire fails, which is logged, as a JSON-RPC error: the caller learns the refusal. */
export function refusalReply(
  head: Head,
  wire: MountedWire | undefined,
  error: ErrorResult,
  dispatch: Pick<Dispatch, "mask">,
  status?: number,
): MaybePromise<Reply> {
  const replyPlainly = (thrown: unknown): Reply => {
    dispatch.mask(thrown, { during: "errorReply", path: head.path });
    return errorReply(null, error, status);
  };
  try {
    const reply = wire?.errorReply?.(head, error, status) ?? errorReply(null, error, status);
    return reply instanceof Promise ? reply.catch(replyPlainly) : reply;
  } catch (thrown) {
    return replyPlainly(thrown);
  }
}
