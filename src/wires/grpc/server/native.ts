/** All services by native gRPC: the tool service, health checking and server reflection. */
import { toBinary } from "@bufbuild/protobuf";
import type { CallEvent } from "../../../core/call/outcome.ts";
import { chain } from "../../../internal/future.ts";
import { ObjectCache } from "../../../internal/object_cache.ts";
import type { WireHost } from "../../wire.ts";
import {
  decodeToolRequestBytes,
  encodeResponseEnvelope,
  type ResponseMembers,
  type ToolRequestMembers,
} from "../messages/binary.ts";
import { encodeEvent } from "./encode.ts";
import { encodeError } from "./encode_error.ts";
import { encodeEnvelope } from "../messages/envelope.ts";
import { PromptsListSchema, type ToolsList, ToolsListSchema } from "../messages/gen/mcplite_pb.ts";
import { healthMethods } from "./health.ts";
import { NativeProtocol } from "./native_protocol.ts";
import { reflectionMethods } from "./reflection.ts";
import type { RpcMethods, ToolService } from "./service.ts";
import type { TypedToolService } from "./typed/tools.ts";

/** Makes the methods of all services by native gRPC, by their paths. @param typed The typed service, if there is one. */
export function createNativeMethods(
  service: ToolService,
  host: WireHost,
  typed: TypedToolService | undefined,
): RpcMethods {
  const protocol = new NativeProtocol(host);
  const services = ["mcplite.MCPLite", ...(typed === undefined ? [] : [typed.typeName])];
  return {
    ...toolMethods(protocol, service, host.limits.depth - 1),
    ...healthMethods(protocol, host.dispatch, services),
    ...reflectionMethods(protocol, typed),
  };
}

function toolMethods(protocol: NativeProtocol, service: ToolService, maxDepth: number): RpcMethods {
  const lists = new ObjectCache((tools: ToolsList) => encodeEnvelope(toBinary(ToolsListSchema, tools)));
  return {
    "/mcplite.MCPLite/GetTools": protocol.unary((_, head) => {
      return chain(
        service.toolsFor(head, "grpc"),
        (tools) => lists.get(tools),
      );
    }),
    "/mcplite.MCPLite/GetPrompts": protocol.unary((_, head) => {
      return chain(
        service.promptsFor(head, "grpc"),
        (prompts) => encodeEnvelope(toBinary(PromptsListSchema, prompts)),
      );
    }),
    "/mcplite.MCPLite/CallTool": protocol.unary((message, head) => {
      return chain(service.unary(decodeRequest(message, maxDepth), head, "grpc"), encodeResponseEnvelope);
    }),
    "/mcplite.MCPLite/CallToolStream": protocol.serverStream((message, stream, head) => {
      const push = (event: CallEvent) => stream.write(encodeResponseEnvelope(encodeEvent(event)));
      const end = (last: () => ResponseMembers) => stream.endWith(() => encodeResponseEnvelope(last()));
      service.stream(decodeRequest(message, maxDepth), head, "grpc", { closed: stream.closed, push }, end);
    }),
  };
}

function decodeRequest(message: Uint8Array, maxDepth: number): ToolRequestMembers {
  const request = decodeToolRequestBytes(message, maxDepth);
  if ("kind" in request) throw encodeError(request);
  return request;
}
