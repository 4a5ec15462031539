/** Calls of other tools of the server by a handler: `ctx.call`. */
import { BOOLEAN, checkOptions, FUNCTION, type OptionRules, TEXT } from "../../internal/options.ts";
import type { Call, CallMeta, Peer, TraceContext } from "../call/call.ts";
import { type CallEvent, type CallResult, joinPartials, type Sink, toToolError } from "../call/outcome.ts";
import { toPromise } from "../../internal/future.ts";
import { mistake } from "../errors/mistake.ts";
import { Failure } from "../errors/failure.ts";
import type { CallableTool, InnerCallFunction, InnerCallOptions } from "../handler/inner_calls.ts";
import type { AnyTool, ToolDefinition } from "../tool/definition.ts";
import type { ResumableRun, RunQuestions } from "./services.ts";
import type { UndoWindow } from "./undo_window.ts";

/** A run whose handler calls other tools. */
interface CallingRun extends ResumableRun {
  readonly trace: TraceContext | undefined;
  questions: RunQuestions | undefined;
}

/** Largest number of calls that are inside of each other. */
const MAX_DEPTH = 16;

const OPTIONS: OptionRules<InnerCallOptions> = { key: TEXT, onProgress: FUNCTION, "~keepsErrors": BOOLEAN };

/**
 * Calls a tool of the same server for its handler's caller.
 *
 * @throws {TypeError} If the server does not have the tool, or the calls are a circle.
 */
async function callInner(
  run: CallingRun,
  tool: CallableTool,
  args: unknown = {},
  options: InnerCallOptions = {},
): Promise<unknown> {
  const definition = findTool(run, tool as AnyTool);
  assertOptions(definition.name, options);
  const { key, onProgress, "~keepsErrors": keepsErrors } = options;
  const path = [...run.request.inner?.path ?? [], run.definition.name];
  assertPath(path, definition.name);
  const send = async (meta?: CallMeta, callId?: string): Promise<CallResult> => {
    if (run.ended !== undefined && run.lease?.undo?.isOver !== false) return run.ended;
    const call: Call = {
      tool: definition.name,
      args,
      meta: run.trace === undefined ? meta : { ...meta, trace: run.trace },
      config: run.request.config,
      peer: new InnerPeer(run),
      inner: { path, ...(callId !== undefined && { callId }) },
    };
    const pieces: unknown[] = [];
    const sink = onProgress && sinkOf(onProgress, pieces);
    const result = await toPromise(run.services.call(call, sink));
    const isJoined = pieces.length > 0 && result.kind === "answer" && result.value === undefined;
    return isJoined ? { ...result, value: joinPartials(pieces) } : result;
  };
  const { questions } = run.services;
  if (questions === undefined) return toValue(await send());
  return await (run.questions ??= questions.track(run)).innerCall({ key, tool: definition, args, send, keepsErrors });
}

function assertOptions(name: string, options: unknown): void {
  try {
    checkOptions(`call "${name}"`, options, OPTIONS);
  } catch (thrown) {
    throw mistake(thrown as Error);
  }
}

/** The call of a run, as the function with which its handler calls other tools. */
export function toCallable(run: CallingRun): Call & InnerCallFunction {
  const call = (...args: [CallableTool, unknown?, InnerCallOptions?]) => callInner(run, ...args);
  return Object.assign(call as InnerCallFunction, run.request);
}

/** The answer of a call. @throws {Failure | ToolError} If the call has another result. */
export function toValue(result: CallResult): unknown {
  if (result.kind === "answer") return result.value;
  if (result.kind === "failure") throw new Failure<string, unknown>(result.code, result.message, result.data);
  if (result.kind === "error") throw toToolError(result);
  throw mistake(
    new TypeError(`Cannot call another tool: its result is a ${result.kind}, for which the server needs keys`),
  );
}

/** The tool of the server, or of the part that the calling tool belongs to. */
function findTool(
  { services: { registry }, definition: { part, name: caller } }: CallingRun,
  tool: AnyTool,
): ToolDefinition {
  const given = tool?.["~definition"];
  if (given === undefined) {
    throw mistake(
      new TypeError("Cannot call another tool: give its value first, as in ctx.call(charge, { amount: 1 })"),
    );
  }
  const path = part?.path.join("/");
  const found = path === undefined
    ? registry.get(tool.name)
    : registry.definitions().find(({ part }) => part?.path.join("/") === path && part.ownNames.includes(tool.name));
  if (found?.handler === given.handler && found.external === given.external) return found;
  throw mistake(
    new TypeError(
      `Cannot call "${tool.name}" in tool "${caller}": the server has no such tool; add it to its tools`,
    ),
  );
}

function assertPath(path: readonly string[], name: string): void {
  const names = [...path, name].join(" → ");
  if (path.includes(name)) throw mistake(new TypeError(`Cannot call "${name}": the calls are a circle, ${names}`));
  if (path.length >= MAX_DEPTH) {
    throw mistake(new TypeError(`Cannot call "${name}": more than ${MAX_DEPTH} calls in each other, ${names}`));
  }
}

function sinkOf(onProgress: NonNullable<InnerCallOptions["onProgress"]>, pieces: unknown[]): Sink {
  return {
    push(event: CallEvent) {
      if (event.kind === "progress") onProgress(event.progress);
      else if (event.kind === "partial") pieces.push(event.value);
    },
  };
}

/** The caller of a run, as the caller of the tools that the run calls. It has left when the run is over. */
class InnerPeer implements Peer {
  readonly wire: string;
  readonly principal: Peer["principal"];
  readonly requestId = undefined;
  readonly sessionId: Peer["sessionId"];
  readonly session: Peer["session"];
  readonly client: Peer["client"];
  readonly host: Peer["host"];
  readonly #run: CallingRun;
  /** Whether the call undoes what a cancelled job did. */
  readonly #undo: UndoWindow | undefined;

  constructor(run: CallingRun) {
    this.#undo = run.lease?.undo;
    const { wire, principal, sessionId, session, client, host } = run.request.peer;
    this.wire = wire;
    this.principal = principal;
    this.sessionId = sessionId;
    this.session = session;
    this.client = client;
    this.host = host;
    this.#run = run;
  }

  get signal(): AbortSignal {
    return this.#undo?.signal ?? this.#run.runState.signal();
  }

  get metadata(): Peer["metadata"] {
    return this.#run.request.peer.metadata;
  }
}
