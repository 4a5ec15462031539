/** MCP-lite 3.2 to 3.4, and calls in its appendix, on every binding. */
import { isJsonObject } from "../../internal/json.ts";
import { judge, lacks, must, type ServerCheck, should } from "./check.ts";
import { type McpLiteServer, RESPONSE_TYPES } from "./mcp_lite_server.ts";
import { wrongArguments } from "./sample_arguments.ts";

const ASKING: readonly unknown[] = ["elicitation", "request-for-more-resource"];

/** Checks of calls on every binding: arguments, types of results, questions, failures, and an unknown tool. */
export const CALL_CHECKS: readonly ServerCheck<McpLiteServer>[] = [
  must(
    "3.2",
    "valid-arguments",
    "Arguments that conform to the tool's schema are accepted",
    "no error about parameters",
    async ({ choice }) => {
      const called = await choice.called(
        "tool",
        ({ error }) => error?.kind !== "internal",
        "takes generated arguments",
      );
      return judge(called.reply.error?.kind !== "invalid params", called.reply);
    },
  ),

  must(
    "3.2",
    "invalid-arguments",
    "Arguments that do not conform to the tool's schema are refused",
    "an error about parameters: -32602, or INVALID_ARGUMENT",
    async (server) => {
      const { chosen } = await server.answer();
      const { tools } = await server.tools();
      const { inputSchema } = tools.find(({ name }) => name === chosen.name) ?? {};
      const args = isJsonObject(inputSchema) ? wrongArguments(inputSchema) : undefined;
      if (args === undefined) {
        lacks(`The schema of ${chosen.name} accepts every object that was tried; name another tool`);
      }
      const reply = await server.binding.call(chosen.name, args);
      return judge(reply.error?.kind === "invalid params", reply);
    },
  ),

  should("3.3", "meta", "A successful response has _meta with its type", "_meta.response_type", async (server) => {
    const { reply } = await server.answer();
    return judge(typeof reply.meta?.["response_type"] === "string", reply);
  }),

  must(
    "3.3",
    "response-type",
    "The type of a response is one of the specification's",
    RESPONSE_TYPES.join(", "),
    async ({ choice }) => {
      const { reply } = await choice.called("tool", ({ result }) => result !== undefined, "gives a result");
      const { response_type: type } = reply.meta ?? lacks("The response has no _meta, so that it is an answer");
      return judge(type === undefined || RESPONSE_TYPES.includes(type), reply);
    },
  ),

  must(
    "3.4",
    "question",
    "A question of a tool is a result, and not an error of the protocol",
    "a result of the type elicitation or request-for-more-resource",
    async ({ choice }) => {
      const { reply } = await choice.called("questionTool", ({ meta }) => {
        return ASKING.includes(meta?.["response_type"]);
      }, "asks its caller");
      return judge(ASKING.includes(reply.meta?.["response_type"]), reply);
    },
  ),

  must(
    "3.4",
    "failure",
    "A failure of business logic is a result, and not an error of the protocol",
    "a result of the type failure",
    async ({ choice }) => {
      const { reply } = await choice.called(
        "failureTool",
        ({ meta }) => meta?.["response_type"] === "failure",
        "fails",
      );
      return judge(reply.meta?.["response_type"] === "failure", reply);
    },
  ),

  should("A.2", "content", "The result of an answer has the content of the tool", "content", async (server) => {
    const { reply } = await server.answer();
    return judge(reply.result !== undefined && "content" in reply.result, reply);
  }),

  must(
    "A.5",
    "unknown-tool",
    "A call of an unknown tool is refused as not found",
    "-32601, or NOT_FOUND",
    async (server) => {
      const reply = await server.unknownTool();
      return judge(reply.error?.kind === "not found", reply);
    },
  ),
];
