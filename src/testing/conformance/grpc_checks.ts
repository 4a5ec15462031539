/** MCP-lite 5 and A.5: gRPC. */
import { hasInternals, judge, lacks, must, type ServerCheck, should } from "./check.ts";
import { GRPC_STATUS, type GrpcBinding } from "./grpc_binding.ts";
import { type McpLiteServer, UNKNOWN_TOOL } from "./mcp_lite_server.ts";

type GrpcServer = McpLiteServer<GrpcBinding>;

/** Checks of gRPC and gRPC-Web alone: the methods, messages and streams, and the statuses for errors and deadlines. */
export const GRPC_CHECKS: readonly ServerCheck<GrpcServer>[] = [
  must("5.1", "get-tools", "GetTools gives one ToolsList", "status OK and one message", async (server) => {
    const reply = await server.list();
    return judge(reply.tools !== undefined, reply);
  }),

  must("5.1", "call-tool", "CallTool gives one ToolResponse", "status OK and one message", async (server) => {
    const { chosen } = await server.answer();
    const reply = await server.binding.call(chosen.name, chosen.args);
    return judge(reply.rpc.status === GRPC_STATUS.ok && reply.responses.length === 1, reply);
  }),

  must(
    "5.1",
    "call-tool-stream",
    "CallToolStream is a method of the service",
    "a status other than UNIMPLEMENTED",
    async ({ binding }) => {
      const reply = await binding.rpc({ method: "CallToolStream" }, UNKNOWN_TOOL, {});
      return judge(reply.rpc.status !== undefined && reply.rpc.status !== GRPC_STATUS.unimplemented, reply);
    },
  ),

  must(
    "5.2",
    "messages",
    "Messages have the fields of the specification",
    "messages that can be decoded",
    async (server) => {
      const { chosen } = await server.answer();
      const reply = await server.binding.call(chosen.name, chosen.args);
      const [first] = reply.responses;
      return judge(first?.result !== undefined && first.meta !== undefined, reply, "The response lacks result or meta");
    },
  ),

  should(
    "5.2",
    "timestamp",
    "The timestamp is in milliseconds since the epoch of Unix",
    "meta.timestamp between the years 2001 and 2100",
    async (server) => {
      const { reply } = await server.answer();
      const timestamp = reply.meta?.["timestamp"] ?? lacks("The response has no timestamp");
      return judge(Number(timestamp) > 978_307_200_000 && Number(timestamp) < 4_102_444_800_000, reply);
    },
  ),

  must(
    "5.3",
    "promise",
    "A promise is an ordinary ToolResponse of the type PROMISE",
    "status OK, type PROMISE and a promise token",
    async (server) => {
      const { chosen } = await server.promise();
      const { rpc, meta, ...reply } = await server.binding.call(chosen.name, chosen.args);
      const isPromise = meta?.["response_type"] === "promise" && typeof meta["promise_token"] === "string";
      return judge(rpc.status === GRPC_STATUS.ok && isPromise, reply);
    },
  ),

  must(
    "5.4",
    "final-meta",
    "Only the last message of a stream has meta",
    "meta in the last message alone",
    async (server) => {
      const { messages, reply } = await server.messages();
      const withMeta = messages.filter(({ meta }) => meta !== undefined);
      return judge(withMeta.length === 1 && withMeta[0] === messages.at(-1), reply);
    },
  ),

  must(
    "5.5",
    "deadline",
    "A call that outlasts its grpc-timeout ends with that status",
    "DEADLINE_EXCEEDED",
    async ({ choice, binding }) => {
      const { name, args } = await choice.named("slowTool") ?? lacks("No tool that takes a while is named: slowTool");
      const reply = await binding.rpc({ method: "CallTool", timeout: "1m" }, name, args);
      return judge(reply.rpc.status === GRPC_STATUS.deadlineExceeded, reply);
    },
  ),

  must(
    "5.5",
    "internal",
    "A tool that breaks gives the status INTERNAL, without its stack",
    "INTERNAL; no stack and no path of a file",
    async ({ choice, binding }) => {
      const { name, args } = await choice.named("brokenTool") ?? lacks("No tool that breaks is named: brokenTool");
      const { rpc, ...reply } = await binding.call(name, args);
      return judge(rpc.status === GRPC_STATUS.internal && !hasInternals(rpc.message), reply);
    },
  ),

  should(
    "A.5",
    "message",
    "The message for an unknown tool names it",
    `Tool not found: ${UNKNOWN_TOOL}`,
    async (server) => {
      const reply = await server.unknownTool();
      return judge(reply.error?.message === `Tool not found: ${UNKNOWN_TOOL}`, reply);
    },
  ),

  should(
    "A.5",
    "details",
    "The status for an unknown tool has details",
    "a google.rpc.ErrorInfo",
    async ({ binding }) => {
      const { rpc, ...reply } = await binding.call(UNKNOWN_TOOL, {});
      return judge(rpc.details.includes("google.rpc.ErrorInfo"), reply, "The status has no google.rpc.ErrorInfo");
    },
  ),
];
