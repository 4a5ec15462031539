/**
 * Handles: tokens that name the rest of an answer, and the tool `more`, which reads it by running the tool again.
 *
 * Signed by the server and kept by the caller, so that any replica with the same keys reads them. Bound to the principal.
 */
import { callerKeyOf } from "../services.ts";
import { type ErrorResult, errorResult } from "../../call/outcome.ts";
import { ToolError } from "../../errors/tool_error.ts";
import { isJsonObject, type Json } from "../../../internal/json.ts";
import type { AnswerPosition } from "../../call/call.ts";
import { EMPTY_DEFINITION, type RemoteRun, type ToolDefinition } from "../../tool/definition.ts";
import { toolOfToken } from "../attached_tools.ts";
import { warnOfRefused } from "../token_refusal_log.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { tokenShapes } from "../../token/layout.ts";
import { invalidArguments } from "../run_tool.ts";

/** Start of each handle. */
export const HANDLE_PREFIX: string = tokenShapes.answer.prefix;

/** Lifetime of a handle, in milliseconds: an hour. */
const LIFETIME_MS = 3_600_000;

/** A run of a tool with `budget()`, as far as it is needed to sign and verify the handle of the next page. */
export type BudgetedRun = Pick<RemoteRun, "request" | "callId" | "clock" | "definition" | "services">;

/** Signed contents of a handle: the arguments of the call, and where its next page begins. */
interface HandleData extends AnswerPosition {
  readonly args: Json;
  readonly revision?: string;
}

const INVALID_HANDLE: ErrorResult = errorResult(
  "invalid_continuation",
  "Not a handle of an answer to this caller, or no longer: call the tool again, without the handle",
);

/**
 * Creates the handle of an answer's rest, from `position`: signed tool name, arguments and revision, valid for an hour for its caller.
 *
 * @throws {TypeError} If the server has no keys.
 * @throws {ToolError} `result_too_large`, if the arguments are too long for a handle.
 */
export function createHandle(run: BudgetedRun, position: AnswerPosition): string {
  const { request: { args }, callId, clock, definition: { name, revision }, services: { keys } } = run;
  if (keys === undefined) {
    throw new TypeError(`Cannot shorten the answer of "${name}": pass createServer({ keys: keyRing("k1:…") })`);
  }
  const data: HandleData = { ...position, args: args as Json, ...(revision !== undefined && { revision }) };
  const expSeconds = Math.ceil((clock.now() + LIFETIME_MS) / 1000);
  try {
    return keys.sign("answer", {
      id: callId,
      expSeconds,
      tool: name,
      principal: callerKeyOf(run),
      data: data as unknown as Json,
    });
  } catch (cause) {
    throw cause instanceof RangeError ? handleTooLong() : cause;
  }
}

/** The error `result_too_large` for a page whose handle, which carries the arguments of the call, is too long for a token or the budget. */
export function handleTooLong(): ToolError {
  return new ToolError(
    "result_too_large",
    "The answer is over its budget, and the arguments are too long for a handle",
  );
}

/** The tool `more`, which returns the next page of an answer: it runs the tool of a handle again. Listed by servers with tools that have a budget. */
export const MORE_TOOL: ToolDefinition = {
  ...EMPTY_DEFINITION,
  name: "more",
  description: "Get what follows an answer that was cut: pass the handle that the answer has as its member `more`. " +
    "The result may have a handle again",
  type: "system",
  inputSchema: {
    type: "object",
    properties: { handle: { type: "string", description: "The member `more` of an earlier answer" } },
    required: ["handle"],
  },
  annotations: { readOnlyHint: true, idempotentHint: true },
  // Gateways know the tool by it.
  meta: { "toolwire/handles": true },
  // The limit of the tool itself applies.
  timeoutMs: 3_600_000,
  isSystem: true,
  remote: {
    mayPromise: false,
    ttlMs: () => 0,
    call: readRest,
    redeem: () => Promise.resolve(INVALID_HANDLE),
    cancel: () => Promise.resolve(INVALID_HANDLE),
  },
  handler: () => undefined,
};

async function readRest(run: RemoteRun) {
  const { request: call, clock, sink, services } = run;
  const { handle } = isJsonObject(call.args) ? call.args : {};
  if (typeof handle !== "string") {
    const message = "Expected the member `more` of an earlier answer";
    return invalidArguments([{ path: ["handle"], expected: "a handle", received: typeof handle, message }]);
  }
  const { keys } = services;
  const principal = callerKeyOf(run);
  const verified = keys?.verify("answer", handle, principal, clock.now());
  if (typeof verified !== "object") {
    const reason = verified === "expired" ? "it has expired" : undefined;
    if (keys) {
      warnOfRefused({ logger: services.logger, clock }, keys, {
        kind: "answer",
        token: handle,
        principal,
        reason,
      });
    }
    return INVALID_HANDLE;
  }
  // The dispatcher runs the tool as if its caller had called it: with its middleware, scopes and limits.
  const dispatcher = services as unknown as Dispatcher;
  const definition = toolOfToken(dispatcher.registry, verified.tool, call.peer);
  // The signature is valid, so the data has the shape that createHandle() writes.
  const { args, revision, ...position } = verified.data as unknown as HandleData;
  if (definition?.continuationTool !== MORE_TOOL || definition.revision !== revision) return INVALID_HANDLE;
  // A stored job would lose the position.
  const meta = call.meta && { ...call.meta, idempotencyKey: undefined };
  return await dispatcher.run(definition, { ...call, tool: verified.tool, args, meta, position }, sink);
}
