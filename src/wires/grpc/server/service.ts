/**
 * What the service does, whichever protocol carries it: a request becomes a call, what became of it a response.
 *
 * Source: docs/spec.md 5 and A.
 *
 * @module
 */
import { create } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc-web";
import type { Call, Metadata } from "../../../core/call/call.ts";
import type { CallResult, ErrorResult, Sink } from "../../../core/call/outcome.ts";
import { retryAfterHeader } from "../../framing/http.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { type Head, HeadPeer, type WireHost } from "../../wire.ts";
import type { ResponseMembers, ToolRequestMembers } from "../messages/binary.ts";
import { decodeToolRequest } from "./decode.ts";
import { encodeOutcome, encodeTool } from "./encode.ts";
import { encodePrompt } from "./encode_prompt.ts";
import { encodeRefusal } from "./encode_error.ts";
import { type PromptsList, PromptsListSchema, type ToolsList, ToolsListSchema } from "../messages/gen/mcplite_pb.ts";

/** Codes of refusals whose HTTP status goes with `Retry-After`. */
const MAY_RETRY: ReadonlySet<string> = new Set(["rate_limited", "unavailable"]);

/** The methods of `mcplite.MCPLite`. What is not OK is thrown, as a {@link ConnectError}. */
export class ToolService {
  /** What `GetPrompts` answers. */
  readonly prompts: PromptsList;
  readonly #host: WireHost;
  readonly #base: string;
  /** What was listed last, and how it is written. */
  #listed: WireHost["tools"] = [];
  #allTools: ToolsList = encodeTools([]);

  /** @param base What comes before the service's own paths. */
  constructor(host: WireHost, base: string) {
    this.#host = host;
    this.#base = base;
    this.prompts = create(PromptsListSchema, { prompts: host.catalog?.prompts.map(encodePrompt) ?? [] });
  }

  /** What `GetTools` answers. */
  toolsFor({ principal }: Head): ToolsList {
    const tools = this.#host.toolsFor(principal);
    return tools === this.#host.tools ? this.allTools : encodeTools(tools);
  }

  /** What `GetTools` answers to those who may know of all tools. Written anew where it is not the last one. */
  get allTools(): ToolsList {
    const { tools } = this.#host;
    if (tools !== this.#listed) this.#allTools = encodeTools(this.#listed = tools);
    return this.#allTools;
  }

  /**
   * `CallTool`.
   *
   * @param protocol Name of the protocol that carries it.
   */
  callTool(request: ToolRequestMembers, head: Head, protocol: string): MaybePromise<ResponseMembers> {
    const startedMs = this.#host.clock.now();
    const call = this.#decode(request, head, protocol, false);
    const settled = this.#host.dispatch.call(call);
    if (!(settled instanceof Promise)) return this.#response(call, settled, startedMs);
    head.disableIdleTimeout();
    return settled.then((later) => this.#response(call, later, startedMs));
  }

  /**
   * `CallToolStream`.
   *
   * @param sink Takes the responses on the way.
   * @param end Gets what gives the last response, or throws why there is none.
   */
  callToolStream(
    request: ToolRequestMembers,
    head: Head,
    protocol: string,
    sink: Sink,
    end: (last: () => ResponseMembers) => void,
  ): void {
    const startedMs = this.#host.clock.now();
    const call = this.#decode(request, head, protocol, true);
    head.disableIdleTimeout();
    const finish = (settled: CallResult) => end(() => this.#response(call, settled, startedMs));
    const settled = this.#host.dispatch.call(call, sink);
    if (settled instanceof Promise) void settled.then(finish);
    else finish(settled);
  }

  #decode(request: ToolRequestMembers, head: Head, protocol: string, isStreamed: boolean): Call {
    const decoded = decodeToolRequest(request, timeoutMs(head.metadata));
    if ("kind" in decoded) throw encodeRefusal(decoded);
    return { ...decoded, peer: new HeadPeer(head, protocol, undefined, isStreamed) };
  }

  #response(call: Call, settled: CallResult, startedMs: number): ResponseMembers {
    const { clock, info } = this.#host;
    try {
      if (settled.kind !== "error") {
        return encodeOutcome(settled, { startedMs, nowMs: clock.now(), serverVersion: info.version });
      }
    } catch (thrown) {
      throw encodeRefusal(this.#unwritable(thrown, call));
    }
    throw this.#error(call, settled);
  }

  #error(call: Call, refusal: ErrorResult): ConnectError {
    try {
      // Where the status is always 200, nobody looks for the header: the details have it.
      const isHttp = call.peer.wire === "connect" && MAY_RETRY.has(refusal.code);
      const retry = isHttp ? retryAfterHeader(refusal.data) : undefined;
      return encodeRefusal(refusal, { ...this.#host.challenge(refusal, this.#base), ...retry });
    } catch (thrown) {
      return encodeRefusal(this.#unwritable(thrown, call));
    }
  }

  #unwritable(thrown: unknown, call: Call): ErrorResult {
    const error = new TypeError("The result cannot be written as a protobuf message", { cause: thrown });
    return this.#host.dispatch.mask(error, { tool: call.tool });
  }
}

function encodeTools(tools: WireHost["tools"]): ToolsList {
  return create(ToolsListSchema, { tools: tools.map(encodeTool) });
}

/** What the caller's headers say of its deadline, in milliseconds from now. */
function timeoutMs(metadata: Metadata): number | undefined {
  const { timeoutMs, error } = metadata.get("connect-timeout-ms") === null
    ? parseGrpcTimeout(metadata.get("grpc-timeout"), Number.POSITIVE_INFINITY)
    : parseConnectTimeout(metadata.get("connect-timeout-ms"), Number.POSITIVE_INFINITY);
  if (error !== undefined) throw error;
  return timeoutMs;
}
