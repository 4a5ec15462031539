/**
 * Client transport to a server in the same process.
 *
 * Arguments and results are copied as JSON, so that a test sees the same values as a caller over the network: no `Date`, no
 * `undefined`, no shared objects.
 */
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import type { Metadata, Peer, Principal } from "../../../core/call/call.ts";
import { toPrincipal } from "../../../core/call/principal.ts";
import { CallConfig } from "../../../core/call/call_config.ts";
import {
  type AnswerOutcome,
  type CallEvent,
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  withShown,
} from "../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool, Transport, TransportCall } from "../../../core/call/transport.ts";
import type { Dispatch } from "../../../core/dispatch/dispatcher.ts";
import type { AdmitList } from "../../../core/dispatch/list_admission.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { chain, toPromise } from "../../../internal/future.ts";
import type { ToolListing } from "../../../core/tool/listing.ts";
import type { RenderedOutput } from "../../../core/tool/definition.ts";

/** The part of a tool's definition that shows an answer: its name, and `.render()`. */
export interface RenderingTool {
  /** Name of the tool. */
  readonly name: string;
  /** Function given to `.render()`; `undefined` without it. */
  readonly render: ((output: unknown) => RenderedOutput) | undefined;
}

/** What {@link memoryTransport} needs of a server: `createServer()` returns one. */
export interface MemoryServer {
  /** Returns the listings of the tools that are visible to a caller. */
  toolsFor(principal: Principal | undefined): readonly ToolListing[];
  /** Access to the server, for wires and adapters. */
  readonly "~server": {
    readonly host: {
      readonly dispatch: Dispatch;
      readonly admitList: AdmitList;
      readonly definitions?: readonly RenderingTool[] | undefined;
      readonly security?: { readonly allowsAnonymous: boolean } | undefined;
    };
  };
}

/** Options of {@link memoryTransport}. */
export interface MemoryOptions {
  /** Principal of the calls. Default: none. */
  readonly principal?: Principal<object> | undefined;
  /** `ctx.metadata` of handlers. Default: empty. */
  readonly metadata?: Metadata | undefined;
  /** Configuration for tools with `.config()`. Default: that of the server. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Creates a transport to a server in the same process, for tests, examples and agents that host their own tools.
 *
 * A masked error has the original error as its `cause`, unless the result was stored with a promise.
 *
 * @example A client without a network
 * ```ts
 * import { createClient, createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
 * const client = createClient<typeof server>(memoryTransport(server));
 * console.log(await client.ping()); // → pong
 * ```
 * @throws {TypeError} If `principal` is not one.
 */
export function memoryTransport(server: MemoryServer, options: MemoryOptions = {}): Transport {
  const { principal: given } = options;
  const caller: MemoryCaller = { ...options, principal: given && toPrincipal(given) };
  return {
    call: (call, sink) => callInMemory(server["~server"].host, call, caller, sink),
    list(limit) {
      const { host } = server["~server"];
      const admitted = host.admitList("list:tools", toPeer(caller, limit.signal));
      const list = (error: ErrorResult | undefined) =>
        error ?? copyJson(server.toolsFor(caller.principal)) as unknown as readonly ListedTool[];
      return toPromise(chain<ErrorResult | undefined, ErrorResult | readonly ListedTool[]>(admitted, list));
    },
  };
}

/** {@link MemoryOptions} with the principal as handlers get it. */
interface MemoryCaller extends MemoryOptions {
  readonly principal: Principal | undefined;
}

function callInMemory(
  host: MemoryServer["~server"]["host"],
  call: TransportCall,
  caller: MemoryCaller,
  sink: Sink | undefined,
): MaybePromise<CallResult> {
  const { dispatch } = host;
  const peer = toPeer(caller, call.limit.signal);
  let args: unknown;
  try {
    args = call.args === undefined ? {} : copyJson(call.args);
  } catch (thrown) {
    // Circular, a bigint, or nested deeper than the stack of the runtime.
    return errorResult("invalid_input", `The arguments cannot be written as JSON: ${String(thrown)}`);
  }
  const meta = call.meta === undefined ? undefined : decodeCallMeta(copyJson(call.meta));
  if (meta !== undefined && "kind" in meta) return meta;
  const copying = sink === undefined ? undefined : new MonitoredSink(sink, call.limit);
  const copyResult = (result: CallResult): CallResult => {
    try {
      const copy = copyJson(result);
      if (copy.kind === "answer") return copyShown(copy, (result as AnswerOutcome)["~shown"], host);
      // Not enumerable, so it is not part of the copy.
      const { cause } = result as ErrorResult;
      return cause === undefined ? copy : { ...copy as ErrorResult, cause };
    } catch (thrown) {
      return dispatch.mask(new TypeError("The result cannot be written as JSON", { cause: thrown }), {
        tool: call.tool,
      });
    }
  };
  const config = (call.config ?? caller.config) && new CallConfig(copyJson({ ...caller.config, ...call.config }));
  const result = dispatch.call({ tool: call.tool, args, meta, config, peer }, copying);
  return toPromise(chain(result, copyResult));
}

function toPeer({ principal, metadata = NO_METADATA }: MemoryCaller, signal: AbortSignal): Peer {
  return { wire: "memory", principal, signal, metadata, requestId: undefined, client: {} };
}

/** Adds what `.render()` of the tool shows, or of a tool behind a gateway. It is rendered only when it is asked for. */
function copyShown(
  answer: AnswerOutcome,
  shown: AnswerOutcome["~shown"],
  { definitions = [] }: MemoryServer["~server"]["host"],
): AnswerOutcome {
  const { renderedBy, value } = answer;
  if (renderedBy === undefined) return shown === undefined ? answer : withShown(answer, shown);
  const render = definitions.find(({ name }) => name === renderedBy)?.render;
  return render === undefined ? answer : withShown(answer, () => copyJson(render(value)));
}

/** A sink that copies events, and marks the call as active. */
class MonitoredSink implements Sink {
  readonly closed: AbortSignal;
  readonly #sink: Sink;
  readonly #limit: ActivityMonitor;

  constructor(sink: Sink, limit: ActivityMonitor) {
    this.closed = limit.signal;
    this.#sink = sink;
    this.#limit = limit;
  }

  push(event: CallEvent): void | Promise<void> {
    this.#limit.markActive();
    const room = this.#sink.push(copyJson(event));
    if (room === undefined) return;
    this.#limit.suspend();
    return room.then(() => this.#limit.markActive());
  }
}

const NO_METADATA: Metadata = { get: () => null };

function copyJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
