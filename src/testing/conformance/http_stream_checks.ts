/** MCP-lite 4.3: streams of Server-Sent Events. */
import { isJsonObject } from "../../internal/json.ts";
import { judge, judgeAll, must, type ServerCheck, should } from "./check.ts";
import { errorNumber, type HttpBinding, isOpenStream } from "./http_binding.ts";
import { type McpLiteServer, UNKNOWN_TOOL } from "./mcp_lite_server.ts";
import { isUtf8Json } from "./send.ts";

type HttpServer = McpLiteServer<HttpBinding>;

const EVENT_STREAM = { accept: "text/event-stream" };

/** Checks of streams over HTTP: the header that asks for one, the names and data of events, and errors. */
export const HTTP_STREAM_CHECKS: readonly ServerCheck<HttpServer>[] = [
  must(
    "4.3",
    "accept",
    "The header Accept: text/event-stream asks for a stream",
    "content-type: text/event-stream",
    async (server) => {
      const { reply } = await server.stream();
      return judge(reply.messages !== undefined, reply);
    },
  ),

  must(
    "4.3",
    "json",
    "Without that header the response is JSON",
    "content-type: application/json",
    async (server) => {
      const { chosen } = await server.stream();
      const reply = await server.binding.rpc(server.binding.request(chosen.name, chosen.args));
      return judge(isUtf8Json(reply), reply);
    },
  ),

  must(
    "4.3",
    "event-types",
    "The events of a stream are message, done, error and heartbeat",
    "no event with another name",
    async (server) => {
      const { messages, reply } = await server.messages();
      return judgeAll(
        messages,
        reply,
        ({ kind }) => kind !== "unknown",
        ({ name }) => `The event ${JSON.stringify(name)}`,
      );
    },
  ),

  must("4.3", "event-data", "The data of each event is a JSON object", "a JSON object", async (server) => {
    const { messages, reply } = await server.messages();
    // A heartbeat has nothing to say.
    const complies = ({ kind, data }: typeof messages[number]) => kind === "heartbeat" || data !== undefined;
    return judgeAll(messages, reply, complies, ({ name }) => `The data of an event ${name} is not a JSON object`);
  }),

  should("A.4", "partial", "Partial content is the member partial of a message", '{"partial": …}', async (server) => {
    const { messages, reply } = await server.messages();
    return judge(
      messages.some(({ kind, data }) => kind === "partial" && data !== undefined && "partial" in data),
      reply,
    );
  }),

  must(
    "4.3",
    "error",
    "An error is reported to a caller that asks for a stream, too",
    "an error of JSON-RPC, or a stream that ends with the event error",
    async ({ binding }) => {
      const reply = await binding.rpc(binding.request(UNKNOWN_TOOL, {}), EVENT_STREAM);
      const isError = isOpenStream(reply)
        ? /^event: ?error$/m.test(reply.text) && !/^event: ?done$/m.test(reply.text)
        : isJsonObject(reply.json) && errorNumber(reply) !== undefined;
      return judge(isError, reply);
    },
  ),

  must("4.3", "no-get", "There is no endpoint that streams by GET", "no stream of events", async ({ binding }) => {
    const reply = await binding.sender.send(await binding.callUrl(), {
      method: "GET",
      headers: EVENT_STREAM,
      leavesEarly: true,
    });
    return judge(!isOpenStream(reply), reply);
  }),
];
