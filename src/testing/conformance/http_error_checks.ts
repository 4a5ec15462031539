/** MCP-lite 4.4 and A.5: errors over HTTP. No tool runs but the one of the option `brokenTool`. */
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import { hasInternals, judge, lacks, must, type ServerCheck, should, type Verdict } from "./check.ts";
import { errorNumber, type HttpBinding } from "./http_binding.ts";
import { type McpLiteServer, UNKNOWN_TOOL } from "./mcp_lite_server.ts";
import type { HttpReply } from "./send.ts";

type HttpServer = McpLiteServer<HttpBinding>;

function judgeNumber(reply: HttpReply, number: number): Verdict {
  return judge(errorNumber(reply) === number, reply);
}

async function errorOfUnknownTool(
  { binding }: HttpServer,
): Promise<{ readonly reply: HttpReply; readonly error: Members }> {
  const reply = await binding.rpc(binding.request(UNKNOWN_TOOL, {}));
  return { reply, error: asObject(isJsonObject(reply.json) ? reply.json["error"] : undefined) };
}

/** A rule about the data of the error for an unknown tool. */
function dataCheck(member: string, fits: (value: unknown) => boolean, expected: string): ServerCheck<HttpServer> {
  const slug = member.replaceAll("_", "-");
  return should("A.5", slug, `The error for an unknown tool has ${member}`, expected, async (server) => {
    const { reply, error } = await errorOfUnknownTool(server);
    return judge(fits(asObject(error["data"])[member]), reply);
  });
}

/** Checks of errors over HTTP: their numbers, their form, and the data of the error for an unknown tool. */
export const HTTP_ERROR_CHECKS: readonly ServerCheck<HttpServer>[] = [
  must("4.4", "parse-error", "A body that is not JSON is a parse error", "-32700", async ({ binding }) => {
    const headers = { "content-type": "application/json" };
    return judgeNumber(await binding.sender.send(await binding.callUrl(), { headers, body: '{"jsonrpc":' }), -32700);
  }),

  must(
    "4.4",
    "invalid-request",
    "A message that is not JSON-RPC 2.0 is an invalid request",
    "-32600",
    async ({ binding }) => {
      const { jsonrpc: _, ...rest } = binding.request(UNKNOWN_TOOL, {});
      return judgeNumber(await binding.rpc(rest), -32600);
    },
  ),

  must("4.4", "method-not-found", "An unknown method is not found", "-32601", async ({ binding }) => {
    const message = { ...binding.request(UNKNOWN_TOOL, {}), method: "conformance/unknown" };
    return judgeNumber(await binding.rpc(message), -32601);
  }),

  must(
    "4.4",
    "invalid-params",
    "A call without the name of a tool has invalid parameters",
    "-32602",
    async ({ binding }) => {
      const message = { ...binding.request(UNKNOWN_TOOL, {}), params: { arguments: {} } };
      return judgeNumber(await binding.rpc(message), -32602);
    },
  ),

  must(
    "4.4",
    "error-object",
    "An error has a number and a message",
    "code: an integer, message: a text",
    async (server) => {
      const { reply, error } = await errorOfUnknownTool(server);
      return judge(Number.isInteger(error["code"]) && typeof error["message"] === "string", reply);
    },
  ),

  must(
    "4.4",
    "internal-error",
    "A tool that breaks gives an internal error, without its stack",
    "-32603; no stack and no path of a file",
    async ({ choice, binding }) => {
      const { name, args } = await choice.named("brokenTool") ?? lacks("No tool that breaks is named: brokenTool");
      const reply = await binding.call(name, args);
      return judge(reply.error?.kind === "internal" && !hasInternals(reply.error.message), reply);
    },
  ),

  dataCheck("requested_tool", (value) => value === UNKNOWN_TOOL, "the name of the request"),
  dataCheck("available_tools", Array.isArray, "a list of names"),
  dataCheck("suggestion", (value) => typeof value === "string", "a text"),
];
