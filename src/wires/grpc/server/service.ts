/**
 * The methods of `mcplite.MCPLite`, independent of the protocol: decodes requests to calls, and encodes results as responses.
 *
 * Source: docs/spec.md 5 and A.
 */
import { create } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc-web";
import type { Call, CallMeta, Metadata } from "../../../core/call/call.ts";
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import { type CallResult, type ErrorResult, errorResult, type Outcome, type Sink } from "../../../core/call/outcome.ts";
import type { ListName } from "../../../core/dispatch/list_admission.ts";
import { chain, Future, type MaybeFuture } from "../../../internal/future.ts";
import { ObjectCache } from "../../../internal/object_cache.ts";
import { retryAfterHeader } from "../../framing/http.ts";
import { type Head, HeadPeer, type MountedWire, type WireHost } from "../../wire.ts";
import type { ResponseMembers, ToolRequestMembers } from "../messages/binary.ts";
import { type PromptsList, PromptsListSchema, type ToolsList, ToolsListSchema } from "../messages/gen/mcplite_pb.ts";
import { encodeOutcome, encodePrompt, encodeTool, type ResponseContext } from "./encode.ts";
import { encodeError } from "./encode_error.ts";

/** Handles the requests to one method of a service: those by native gRPC, or those by Connect and gRPC-Web together. */
export type RpcMethod = MountedWire["handle"];

/** Methods of a service, by their paths. */
export type RpcMethods = Readonly<Record<string, RpcMethod>>;

/** Error codes whose HTTP status may come with a `Retry-After` header. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set(["rate_limited", "unavailable"]);

/** Encodes an outcome as a response. May throw a {@link ConnectError} in its place. */
export type EncodeOutcome<Response> = (outcome: Outcome, context: ResponseContext) => Response;

/** Calls tools for RPCs, and encodes their outcomes as responses of one type. Every error is thrown, as a {@link ConnectError}. */
export class RpcCalls<Response> {
  readonly #host: WireHost;
  readonly #base: string;
  readonly #encode: EncodeOutcome<Response>;

  /** @param base Path prefix of the service. */
  constructor(host: WireHost, base: string, encode: EncodeOutcome<Response>) {
    this.#host = host;
    this.#base = base;
    this.#encode = encode;
  }

  /** Calls a tool, and returns its only response. */
  unary(request: ToolRequestMembers, head: Head, protocol: string): MaybeFuture<Response> {
    const startedMs = this.#host.clock.now();
    const call = this.#decode(request, head, protocol, false);
    const result = this.#host.dispatch.call(call);
    if (result instanceof Future) head.disableIdleTimeout();
    return chain(result, (later) => this.#response(call, later, startedMs));
  }

  /**
   * Calls a tool with a stream of responses: events are passed to `sink`.
   *
   * @param end Called once, at the end of the call. Its argument returns the last response, or throws the error.
   */
  stream(
    request: ToolRequestMembers,
    head: Head,
    protocol: string,
    sink: Sink,
    end: (last: () => Response) => void,
  ): void {
    const startedMs = this.#host.clock.now();
    const call = this.#decode(request, head, protocol, true);
    head.disableIdleTimeout();
    chain(this.#host.dispatch.call(call, sink), (result) => end(() => this.#response(call, result, startedMs)));
  }

  #decode(request: ToolRequestMembers, head: Head, protocol: string, isStreamed: boolean): Call {
    const decoded = decodeToolRequest(request, parseTimeoutMs(head.metadata));
    if ("kind" in decoded) throw encodeError(decoded);
    return { ...decoded, peer: new HeadPeer(head, protocol, undefined, isStreamed) };
  }

  #response(call: Call, result: CallResult, startedMs: number): Response {
    const { clock, info } = this.#host;
    try {
      if (result.kind !== "error") {
        return this.#encode(result, { startedMs, nowMs: clock.now(), serverVersion: info.version });
      }
    } catch (thrown) {
      throw thrown instanceof ConnectError ? thrown : encodeError(this.#encodingError(thrown, call));
    }
    throw this.error(call, result);
  }

  /** The error of a call, or of a request for a list, with its headers. */
  protected error(call: Pick<Call, "peer" | "tool">, error: ErrorResult): ConnectError {
    try {
      // Where the HTTP status is always 200, clients do not read the header; the error details have the delay.
      const hasHttpStatus = call.peer.wire === "connect" && RETRYABLE_CODES.has(error.code);
      const retry = hasHttpStatus ? retryAfterHeader(error.data) : undefined;
      return encodeError(error, { ...this.#host.challenge(error, this.#base), ...retry });
    } catch (thrown) {
      return encodeError(this.#encodingError(thrown, call));
    }
  }

  #encodingError(thrown: unknown, call: Pick<Call, "tool">): ErrorResult {
    const error = new TypeError("The result cannot be written as a protobuf message", { cause: thrown });
    return this.#host.dispatch.mask(error, { tool: call.tool });
  }
}

/** The methods of `mcplite.MCPLite`: calls by name, and the lists. */
export class ToolService extends RpcCalls<ResponseMembers> {
  readonly #host: WireHost;
  readonly #messages = new ObjectCache<WireHost["tools"], ToolsList>(encodeTools);

  /** @param base Path prefix of the service. */
  constructor(host: WireHost, base: string) {
    super(host, base, encodeOutcome);
    this.#host = host;
  }

  /** Response of `GetPrompts`: the prompts that the caller may see. */
  promptsFor(head: Head, protocol: string): MaybeFuture<PromptsList> {
    return this.#admit("list:prompts", head, protocol, () => {
      const prompts = this.#host.catalog?.promptsFor(head.principal) ?? [];
      return create(PromptsListSchema, { prompts: prompts.map(encodePrompt) });
    });
  }

  /** Response of `GetTools`: the tools that the caller may see. */
  toolsFor(head: Head, protocol: string): MaybeFuture<ToolsList> {
    return this.#admit("list:tools", head, protocol, () => this.#messages.get(this.#host.toolsFor(head.principal)));
  }

  /** Returns a list, or throws the error of the limits of lists. */
  #admit<List>(name: ListName, head: Head, protocol: string, list: () => List): MaybeFuture<List> {
    const peer = new HeadPeer(head, protocol, undefined, false);
    return chain(this.#host.admitList(name, peer), (error) => {
      if (error !== undefined) throw this.error({ tool: name, peer }, error);
      return list();
    });
  }
}

function encodeTools(tools: WireHost["tools"]): ToolsList {
  return create(ToolsListSchema, { tools: tools.map(encodeTool) });
}

/** Parses the deadline in the headers, in milliseconds from now. */
function parseTimeoutMs(metadata: Metadata): number | undefined {
  const { timeoutMs, error } = metadata.get("connect-timeout-ms") === null
    ? parseGrpcTimeout(metadata.get("grpc-timeout"), Infinity)
    : parseConnectTimeout(metadata.get("connect-timeout-ms"), Infinity);
  if (error !== undefined) throw error;
  return timeoutMs;
}

/** Converts a request to a call (docs/spec.md 5.2). Total: returns an error result for bad input. */
function decodeToolRequest(
  { name: tool, arguments: args = {}, meta: members }: ToolRequestMembers,
  timeoutMs: number | undefined,
): Omit<Call, "peer"> | ErrorResult {
  const meta = members === undefined ? undefined : decodeCallMeta(members);
  if (meta !== undefined && "kind" in meta) return meta;
  if (timeoutMs === undefined) return { tool, args, meta };
  if (timeoutMs <= 0) return errorResult("deadline_exceeded", "The deadline has passed before the call began");
  return { tool, args, meta: withDeadline(meta, timeoutMs) };
}

function withDeadline(meta: CallMeta | undefined, timeoutMs: number): CallMeta {
  return { ...meta, deadlineMs: Math.min(timeoutMs, meta?.deadlineMs ?? Infinity) };
}
