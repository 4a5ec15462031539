/** MCP-lite 3.8, the types of 3.9, 4.1, 4.2, 8.1 and A.1: requests and responses over HTTP. */
import { isJsonObject, type Members } from "../../internal/json.ts";
import { judge, judgeAll, lacks, must, type ServerCheck, should } from "./check.ts";
import { type HttpBinding, readCall } from "./http_binding.ts";
import { type McpLiteServer, UNKNOWN_TOOL } from "./mcp_lite_server.ts";
import { type HttpReply, isUtf8Json } from "./send.ts";

type HttpServer = McpLiteServer<HttpBinding>;

/** Whether a request was refused: no result, and a status of the client's errors or an error of JSON-RPC. */
export function isRefused({ status, json }: HttpReply): boolean {
  const members = isJsonObject(json) ? json : {};
  return members["result"] === undefined && ((status >= 400 && status < 500) || isJsonObject(members["error"]));
}

/** Sends bytes to the endpoint of calls. */
async function sendBytes(
  { binding }: HttpServer,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  shown?: string,
) {
  const headers = { "content-type": type };
  return await binding.sender.send(await binding.callUrl(), { headers, body, ...(shown !== undefined && { shown }) });
}

/** Text of a request for a tool that is called without side effects. */
async function callText(server: HttpServer): Promise<string> {
  const { chosen } = await server.answer();
  return JSON.stringify(server.binding.request(chosen.name, chosen.args));
}

/** Checks of HTTP alone: methods, content types, UTF-8, paths, ids and members of responses, and prompts. */
export const HTTP_CHECKS: readonly ServerCheck<HttpServer>[] = [
  should(
    "3.8",
    "no-session",
    "The server keeps no session",
    "no response with the header Set-Cookie or Mcp-Session-Id",
    async (server) => {
      const { reply } = await server.answer().catch(async () => ({ reply: await server.list() }));
      const [first] = server.binding.sender.sessions;
      return judge(first === undefined, first ?? reply, "A response has a header of a session");
    },
  ),

  must("3.9", "type", "The category of a tool is a text", "@type: absent, or a text", async (server) => {
    const { tools, reply } = await server.tools();
    const complies = ({ "@type": type }: Members) => type === undefined || typeof type === "string";
    return judgeAll(tools, reply, complies, ({ name }) => `The tool ${JSON.stringify(name)} has another @type`);
  }),

  must(
    "4.1",
    "post-only",
    "Calls are made by POST only",
    "GET is refused with a status of 400 to 499",
    async ({ binding }) => {
      const reply = await binding.sender.send(await binding.callUrl(), { method: "GET" });
      return judge(reply.status >= 400 && reply.status < 500, reply);
    },
  ),

  must(
    "4.1",
    "response-type",
    "Responses have the content type application/json, in UTF-8",
    "content-type: application/json",
    async ({ binding }) => {
      const reply = await binding.rpc(binding.request(UNKNOWN_TOOL, {}));
      const list = await binding.sender.sendJson(`${binding.base}/listtools`, {});
      return judge(isUtf8Json(reply) && (list.status !== 200 || isUtf8Json(list)), isUtf8Json(reply) ? list : reply);
    },
  ),

  must(
    "4.1",
    "request-type",
    "A request with another content type is refused",
    "no result, and a status of 400 to 499 or an error",
    async (server) => {
      const reply = await sendBytes(server, await callText(server), "text/plain");
      return judge(isRefused(reply), reply);
    },
  ),

  must(
    "4.1",
    "utf-8",
    "Requests and responses are in UTF-8",
    "the id of the request, with all of its characters",
    async (server) => {
      const id = "conformance-é漢😀";
      const reply = await server.binding.rpc({ ...server.binding.request(UNKNOWN_TOOL, {}), id });
      return judge(isJsonObject(reply.json) && reply.json["id"] === id, reply);
    },
  ),

  must(
    "4.1",
    "invalid-utf-8",
    "A body that is not UTF-8 is refused",
    "no result, and a status of 400 to 499 or an error",
    async (server) => {
      const text = await callText(server);
      const head = new TextEncoder().encode(text.slice(0, -1));
      const tail = new TextEncoder().encode('"}');
      const member = new TextEncoder().encode(',"conformance":"');
      const bytes = new Uint8Array([...head, ...member, 0xff, 0xfe, ...tail]);
      const reply = await sendBytes(
        server,
        bytes,
        "application/json",
        `${text.slice(0, -1)},"conformance":"\\xff\\xfe"}`,
      );
      return judge(isRefused(reply), reply);
    },
  ),

  should(
    "4.1",
    "base-url",
    "The base URL has the path /mcp-lite/v1/",
    "https://example.com/mcp-lite/v1/",
    async (server) => {
      const reply = await server.list();
      return judge(
        /\/mcp-lite\/v1$/.test(new URL(server.binding.base).pathname),
        reply,
        "The base URL has another path",
      );
    },
  ),

  must(
    "4.2.1",
    "array",
    "POST /listtools gives an array of definitions",
    "status 200 and a JSON array",
    async ({ binding }) => {
      const reply = await binding.sender.sendJson(`${binding.base}/listtools`, {});
      return judge(reply.status === 200 && Array.isArray(reply.json), reply);
    },
  ),

  should(
    "A.1",
    "tools",
    'POST /tools gives {"tools": […]}',
    "the names of /listtools, in the same order",
    async (server) => {
      const { tools } = await server.tools();
      const { sender, base } = server.binding;
      const reply = await sender.sendJson(`${base}/tools`, {});
      if (reply.status === 404) lacks("The server does not have the path of the appendix");
      const other = isJsonObject(reply.json) ? reply.json["tools"] : undefined;
      const names = (list: unknown) =>
        JSON.stringify((Array.isArray(list) ? list : []).map(({ name }: Members) => name));
      return judge(Array.isArray(other) && names(other) === names(tools), reply);
    },
  ),

  must(
    "4.2.2",
    "response",
    "A response is JSON-RPC 2.0",
    'jsonrpc: "2.0", and either result or error',
    async ({ binding, choice }) => {
      const [called] = await choice.tried();
      const { name, args } = called?.chosen ?? { name: UNKNOWN_TOOL, args: {} };
      const reply = await binding.rpc(binding.request(name, args));
      const members = isJsonObject(reply.json) ? reply.json : {};
      return judge(members["jsonrpc"] === "2.0" && ("result" in members) !== ("error" in members), reply);
    },
  ),

  ...[["text", "conformance-id"], ["number", 4_711]].map(([kind, id]) =>
    must<HttpServer>(
      "4.2.2",
      `id-${kind}`,
      `A response has the id of its request, a ${kind}`,
      `id: ${id}`,
      async ({ binding }) => {
        const reply = await binding.rpc({ ...binding.request(UNKNOWN_TOOL, {}), id });
        return judge(isJsonObject(reply.json) && reply.json["id"] === id, reply);
      },
    )
  ),

  must("4.2.2", "meta", "_meta is a member of the result", "no _meta beside result", async (server) => {
    const { chosen } = await server.answer();
    const { binding } = server;
    const { http, meta } = readCall(await binding.rpc(binding.request(chosen.name, chosen.args)));
    const isBeside = isJsonObject(http.json) && "_meta" in http.json;
    if (meta === undefined && !isBeside) lacks("The response has no _meta, so that it is an answer");
    return judge(!isBeside, http);
  }),

  should(
    "A.2",
    "timestamp",
    "The timestamp of a result is that of RFC 3339, and its duration is in milliseconds",
    "_meta.timestamp as 2024-01-01T12:00:00Z, _meta.processing_time_ms of at least 0",
    async (server) => {
      const { reply } = await server.answer();
      const { timestamp, processing_time_ms: tookMs } = reply.meta ?? {};
      if (timestamp === undefined && tookMs === undefined) lacks("The response has neither of the two");
      const isTime = timestamp === undefined ||
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(String(timestamp));
      return judge(isTime && (tookMs === undefined || (typeof tookMs === "number" && tookMs >= 0)), reply);
    },
  ),

  should(
    "8.1",
    "prompts",
    "Prompts are a list with metadata about their parameters",
    '{"prompts": [{ name, arguments? }]}',
    async ({ binding }) => {
      const reply = await binding.sender.sendJson(`${binding.base}/prompts`, {});
      if (reply.status === 404) lacks("The server has no prompts");
      const prompts = isJsonObject(reply.json) ? reply.json["prompts"] : undefined;
      const isListed = ({ name, arguments: list = [] }: Members) => typeof name === "string" && Array.isArray(list);
      return judge(
        Array.isArray(prompts) && prompts.every((prompt) => isJsonObject(prompt) && isListed(prompt)),
        reply,
      );
    },
  ),
];
