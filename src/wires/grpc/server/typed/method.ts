/** One method of the typed service: decodes its message to arguments, and encodes outcomes and events as its responses. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import type { CallEvent, Outcome, PromiseOutcome } from "../../../../core/call/outcome.ts";
import { omitUndefined } from "../../../../internal/json.ts";
import type { Head, WireHost } from "../../../wire.ts";
import { decodeToolRequestBytes, readWhole, type ToolRequestMembers } from "../../messages/binary.ts";
import { toJsonObject } from "../../messages/json.ts";
import { ResponseMetaSchema } from "../../messages/gen/mcplite_pb.ts";
import { codecOf, type MessageCodec } from "../../messages/typed/codec.ts";
import type { TypedMethod } from "../../messages/typed/service.ts";
import { BinaryWriter } from "../../messages/wire_format.ts";
import { encodeOutcome, type ResponseContext } from "../encode.ts";
import { encodeError, encodeUnanswered } from "../encode_error.ts";
import type { NativeProtocol } from "../native_protocol.ts";
import { RpcCalls, type RpcMethod } from "../service.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What all methods of a typed service have in common: the server, the path prefix and the protocol. */
export interface MethodContext {
  readonly host: WireHost;
  /** Path prefix of the services. */
  readonly base: string;
  readonly protocol: NativeProtocol;
}

/** Makes the native gRPC method of a tool: decodes its message, calls the tool, and encodes results and events. */
export function createTypedMethod(method: TypedMethod, { host, base, protocol }: MethodContext): RpcMethod {
  const codec = new TypedMethodCodec(method, host.limits.depth);
  const calls = new RpcCalls(host, base, (outcome, context) => codec.encodeOutcome(outcome, context));
  if (!method.isStream) {
    return protocol.unary((message, head) => calls.unary(codec.decode(message, head), head, "grpc"));
  }
  return protocol.serverStream((message, stream, head) => {
    const push = (event: CallEvent) => {
      const envelope = codec.encodeEvent(event);
      return envelope && stream.write(envelope);
    };
    const end = (last: () => Bytes) => stream.endWith(last);
    calls.stream(codec.decode(message, head), head, "grpc", { closed: stream.closed, push }, end);
  });
}

/** Name of the request header that carries `ToolRequest.meta` to typed methods: a `google.protobuf.Struct`, in binary form as base64. */
const META_HEADER = "mcplite-meta-bin";

/** Decodes requests of a typed method to arguments, and encodes outcomes as its responses. */
class TypedMethodCodec {
  readonly #method: TypedMethod;
  readonly #input: MessageCodec;
  readonly #response: MessageCodec;
  readonly #members: ReadonlySet<string | undefined>;
  /** Maximum nesting depth of a message. */
  readonly #depth: number;

  constructor(method: TypedMethod, depth: number) {
    this.#method = method;
    this.#input = codecOf(method.input);
    this.#response = codecOf(method.response);
    this.#members = new Set(method.response === method.output ? [] : method.response.fields.map(({ key }) => key));
    this.#depth = depth - 1;
  }

  /** @throws {ConnectError} If the message or its metadata is malformed. */
  decode(message: Uint8Array, { metadata }: Head): ToolRequestMembers {
    const { tool: name, input } = this.#method;
    const args = readWhole(message, input.typeName, (reader) => {
      return { args: this.#input.read(reader, message.length, this.#depth) };
    });
    if ("kind" in args) throw encodeError(args);
    const meta = metadata.get(META_HEADER);
    return {
      name,
      // Dispatch rejects arguments that are not an object.
      arguments: (args.args ?? {}) as ToolRequestMembers["arguments"],
      meta: meta === null ? undefined : decodeMeta(meta, this.#depth),
    };
  }

  encodeOutcome(outcome: Outcome, context: ResponseContext): Bytes {
    if (outcome.kind === "answer") return this.#encode("output", outcome.value);
    if (outcome.kind === "promise" && this.#members.has("promise")) {
      return this.#encode("promise", promiseMembers(outcome));
    }
    const domain = this.#method.output.typeName.replace(/\.[^.]*$/, "");
    if (outcome.kind === "failure") {
      const { code: reason, message, data } = outcome;
      throw encodeUnanswered({ domain, reason, message, data });
    }
    const { meta = {} } = encodeOutcome(outcome, context);
    const details = toBinary(ResponseMetaSchema, create(ResponseMetaSchema, meta));
    throw encodeUnanswered({ domain, reason: outcome.kind, message: MESSAGES[outcome.kind], meta: details });
  }

  /** Returns `undefined` if the response has no place for the event. */
  encodeEvent(event: CallEvent): Bytes | undefined {
    const [member, value] = memberOf(event);
    return this.#members.has(member) ? this.#encode(member, value) : undefined;
  }

  #encode(member: string, value: unknown): Bytes {
    const members = toJsonObject({ [member]: value });
    const writer = new BinaryWriter();
    const isOutput = this.#members.size === 0;
    // A member that is undefined is not copied, but it selects the message.
    this.#response.write(writer, isOutput ? members[member] : { [member]: members[member] } as JsonValue);
    return writer.toEnvelope();
  }
}

const MESSAGES: Readonly<Record<Exclude<Outcome["kind"], "answer" | "failure">, string>> = {
  promise: "The call returned a promise: redeem it by mcplite.MCPLite/CallTool",
  elicitation: `The tool asks: repeat the call with responses and the continuation in ${META_HEADER}`,
  "request-for-more-resource":
    `The tool asks for more: repeat the call with responses and the continuation in ${META_HEADER}`,
};

function memberOf(event: CallEvent): readonly [member: string, value: unknown] {
  switch (event.kind) {
    case "partial":
      return ["partial", event.value];
    case "progress":
      return ["progress", event.progress];
    case "deferred":
      return ["promise", promiseMembers(event.promise)];
    case "dropped":
      // The messages of a tool have no member for it.
      return ["dropped", undefined];
  }
}

function promiseMembers({ token, expiresAtMs, estimatedMs, retryAfterMs, progress }: PromiseOutcome): object {
  return {
    token,
    expires_at: Math.round(expiresAtMs),
    retry_after_ms: Math.ceil(retryAfterMs),
    ...omitUndefined({ estimated_completion: estimatedMs && Math.round(estimatedMs), progress }),
  };
}

/** @throws {ConnectError} If the header is malformed. */
function decodeMeta(header: string, depth: number): ToolRequestMembers["meta"] {
  const writer = new BinaryWriter();
  try {
    writer.bytes(base64Decode(header));
  } catch {
    throw new ConnectError(`${META_HEADER} is not base64`, Code.InvalidArgument);
  }
  // As a ToolRequest with nothing but its meta.
  writer.head(0o32, 0);
  const request = decodeToolRequestBytes(writer.toEnvelope().subarray(5), depth);
  if ("kind" in request) throw encodeError(request);
  return request.meta;
}
