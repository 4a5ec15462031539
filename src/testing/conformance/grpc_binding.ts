/** MCP-lite over gRPC, as the suite sends and reads it. */
import type { Members } from "../../internal/json.ts";
import { encodeEnvelope } from "../../wires/grpc/messages/envelope.ts";
import type { Binding, CallReply, ErrorReply, ListReply, StreamMessage, StreamReply } from "./binding.ts";
import type { ShownExchange } from "./check.ts";
import type { DecodedResponse } from "./grpc_messages.ts";
import type { GrpcReply, GrpcRequest, SendRpc } from "./grpc_send.ts";

/** Numbers of the gRPC statuses that section 5.5 of MCP-lite names, and of `OK`. */
export const GRPC_STATUS = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  unimplemented: 12,
  internal: 13,
} as const;

const ERROR_KINDS: Readonly<Record<number, ErrorReply["kind"]>> = {
  [GRPC_STATUS.invalidArgument]: "invalid params",
  [GRPC_STATUS.notFound]: "not found",
  [GRPC_STATUS.internal]: "internal",
};

/** Statuses of a caller that the server does not know, or does not permit. */
const DENIED: readonly unknown[] = [7, 16];

/** Reply to `CallTool` or `CallToolStream`, with the RPC that it is from. */
export interface GrpcCallReply extends CallReply {
  readonly rpc: GrpcReply;
  /** The messages, decoded; `undefined` for each that cannot be decoded. */
  readonly responses: readonly (DecodedResponse | undefined)[];
}

/** Lists and calls the tools of one server by MCP-lite over gRPC or gRPC-Web, depending on the function that sends. */
export class GrpcBinding implements Binding {
  readonly secrets: Set<string>;
  readonly #send: SendRpc;

  constructor(send: SendRpc, secrets: Set<string>) {
    this.#send = send;
    this.secrets = secrets;
  }

  async list(): Promise<ListReply> {
    const { decodeToolsList } = await loadMessages();
    const rpc = await this.#send({ method: "GetTools", body: encodeEnvelope(new Uint8Array()) });
    const [first] = rpc.messages;
    const isOk = rpc.status === GRPC_STATUS.ok && rpc.messages.length === 1;
    const tools = isOk && first !== undefined ? decodeToolsList(first) : undefined;
    const isMissing = rpc.status === undefined && rpc.httpStatus === 404;
    const refusal = DENIED.includes(rpc.status) || rpc.httpStatus === 401
      ? "denied"
      : isMissing
      ? "missing"
      : undefined;
    return { ...show("GetTools", {}, rpc, tools), tools, refusal };
  }

  call(tool: string, args: Members): Promise<GrpcCallReply> {
    return this.rpc({ method: "CallTool" }, tool, args);
  }

  async stream(tool: string, args: Members): Promise<StreamReply> {
    const { sent, received, rpc, responses } = await this.rpc({ method: "CallToolStream" }, tool, args);
    const messages = responses.map(toMessage);
    const { status } = rpc;
    const error: StreamMessage = { kind: "error", name: `status ${status}`, data: undefined, meta: undefined };
    const isOk = status === GRPC_STATUS.ok;
    return { sent, received, messages: isOk ? messages : [...messages, error], isComplete: status !== undefined };
  }

  leaveStream(tool: string, args: Members): Promise<ShownExchange> {
    return this.rpc({ method: "CallToolStream", leavesEarly: true }, tool, args);
  }

  /** Makes an RPC with a `ToolRequest`. */
  async rpc(request: Omit<GrpcRequest, "body">, tool: string, args: Members): Promise<GrpcCallReply> {
    const { encodeToolRequest, decodeToolResponse } = await loadMessages();
    const rpc = await this.#send({ ...request, body: encodeToolRequest(tool, args) });
    const responses = rpc.messages.map(decodeToolResponse);
    for (const response of responses) {
      const token = response?.meta?.["promise_token"];
      if (typeof token === "string") this.secrets.add(token);
    }
    const last = responses.at(-1);
    const isOk = rpc.status === GRPC_STATUS.ok;
    return {
      ...show(request.method, { name: tool, arguments: args }, rpc, responses),
      rpc,
      responses,
      result: isOk && last !== undefined ? last.result ?? {} : undefined,
      meta: isOk ? last?.meta : undefined,
      error: isOk ? undefined : { kind: ERROR_KINDS[Number(rpc.status)] ?? "other", message: rpc.message },
    };
  }
}

function toMessage(response: DecodedResponse | undefined): StreamMessage {
  if (response === undefined) return { kind: "unknown", name: "message", data: undefined, meta: undefined };
  const { result = {}, meta } = response;
  return { kind: meta === undefined ? "partial" : "last", name: "message", data: result, meta };
}

/** The text of an RPC for a report: messages as JSON. */
function show(
  method: string,
  request: Members,
  { status, message, httpStatus }: GrpcReply,
  messages: unknown,
): ShownExchange {
  const code = status === undefined ? `no gRPC status, HTTP ${httpStatus}` : `status ${status}`;
  return {
    sent: `${method}\n${JSON.stringify(request)}`,
    received: `${code}\n${JSON.stringify({ ...(message !== "" && { message }), messages })}`,
  };
}

/** Loaded with the first RPC: the other bindings do not need protobuf. */
function loadMessages(): Promise<typeof import("./grpc_messages.ts")> {
  return import("./grpc_messages.ts");
}
