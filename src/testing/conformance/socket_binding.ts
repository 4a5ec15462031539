/** MCP-lite over WebSocket, as the suite sends and reads it: one message of JSON-RPC a text frame, subprotocol `mcp-lite.v1`. */
import { errorResult, toToolError } from "../../core/call/outcome.ts";
import { withTimeLimit } from "../../core/call/time_limit.ts";
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import { LITE_SUBPROTOCOL } from "../../wires/mcp_lite/messages/socket_protocol.ts";
import type { ClientSocket } from "../../wires/mcp_lite/websocket/client/client_socket.ts";
import type { OpenSocket } from "../../wires/mcp_lite/websocket/client/transport.ts";
import type { Binding, CallReply, ListReply, StreamMessage, StreamReply } from "./binding.ts";
import type { ShownExchange } from "./check.ts";
import { readCallMessage } from "./http_binding.ts";
import { parseOr, rememberTokens } from "./send.ts";

/** How the suite opens sockets: the URL, the function that opens one, and the headers of the caller. */
export interface SocketOptions {
  readonly url: string;
  readonly open: OpenSocket;
  readonly headers: () => Promise<Headers>;
  /** Time limit of each request, in milliseconds. */
  readonly timeoutMs: number;
  readonly secrets: Set<string>;
}

/** The messages of one exchange. */
interface SocketReply extends ShownExchange {
  readonly messages: readonly Members[];
  /** The response to the request; `undefined` if none was received. */
  readonly response: Members | undefined;
}

const EVENT = "notifications/event";
const HEARTBEAT = "notifications/heartbeat";

/** MCP-lite over WebSocket. Requests are sent one after the other, over a socket each: none changes what the next one receives. */
export class SocketBinding implements Binding {
  readonly secrets: Set<string>;
  readonly #options: SocketOptions;

  constructor(options: SocketOptions) {
    this.#options = options;
    this.secrets = options.secrets;
  }

  async list(): Promise<ListReply> {
    const { sent, received, response } = await this.#exchange("tools/list", {});
    const tools = asObject(asObject(response)["result"])["tools"];
    return {
      sent,
      received,
      tools: Array.isArray(tools) && tools.every(isJsonObject) ? tools : undefined,
      refusal: undefined,
    };
  }

  async call(tool: string, args: Members): Promise<CallReply> {
    const { response, ...shown } = await this.#exchange("tools/call", { name: tool, arguments: args });
    return { ...shown, ...readCallMessage(response) };
  }

  async stream(tool: string, args: Members): Promise<StreamReply> {
    const { messages, sent, received } = await this.#exchange("tools/call", {
      name: tool,
      arguments: args,
      stream: true,
    });
    return { sent, received, messages: messages.map(toMessage), isComplete: true };
  }

  async leaveStream(tool: string, args: Members): Promise<ShownExchange> {
    const { sent, received } = await this.#exchange("tools/call", { name: tool, arguments: args, stream: true }, true);
    return { sent, received };
  }

  /** Sends a request and receives messages up to its response, and to that of a `ping` after it: what follows a response is seen, too. */
  async #exchange(method: string, params: Members, leavesEarly: boolean = false): Promise<SocketReply> {
    const { url, open, headers, timeoutMs } = this.#options;
    const sentHeaders = Object.fromEntries(await headers());
    const text = JSON.stringify({ jsonrpc: "2.0", id: "conformance", method, params });
    const ping = JSON.stringify({ jsonrpc: "2.0", id: "conformance-end", method: "ping" });
    const messages: Members[] = [];
    await withTimeLimit(timeoutMs, ({ signal }) => {
      return receive(open(url, [LITE_SUBPROTOCOL], sentHeaders), signal, (socket, data) => {
        if (data === undefined) return socket.send(text);
        const message = asObject(parseOr(data));
        if (message["id"] === "conformance-end") return socket.close(1000);
        if (message["method"] !== HEARTBEAT) messages.push(message);
        if (leavesEarly) socket.close(1000);
        else if (message["method"] !== EVENT) socket.send(ping);
      });
    });
    const received = messages.map((message) => JSON.stringify(message)).join("\n");
    rememberTokens(received, this.secrets);
    const response = messages.find(({ id }) => id === "conformance");
    return { sent: `${method}\n${text}`, received: `${messages.length} messages\n${received}`, messages, response };
  }
}

function toMessage(message: Members): StreamMessage {
  const { method, params, result, error } = message;
  if (method === EVENT) return { kind: "partial", name: EVENT, data: asObject(params), meta: undefined };
  const data = isJsonObject(result) ? result : isJsonObject(error) ? error : undefined;
  const meta = isJsonObject(data?.["_meta"]) ? data["_meta"] : undefined;
  const kind = isJsonObject(result) ? "last" : isJsonObject(error) ? "error" : "unknown";
  return { kind, name: String(method ?? "response"), data, meta };
}

/** Runs a socket to its end. @param take Called when the socket is open, and with each message. */
function receive(
  socket: ClientSocket,
  signal: AbortSignal,
  take: (socket: ClientSocket, data?: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => reject(toToolError(errorResult("unavailable", message)));
    let isOpen = false;
    signal.addEventListener("abort", () => {
      socket.close(1000);
      fail("The server has not answered in time");
    });
    socket.addEventListener("open", () => {
      isOpen = true;
      take(socket);
    });
    socket.addEventListener("message", ({ data }) => take(socket, String(data)));
    socket.addEventListener(
      "close",
      ({ code }) => (isOpen ? resolve() : fail(`The WebSocket was not accepted: code ${code}`)),
    );
    socket.addEventListener("error", () => fail("The WebSocket was not accepted, or broke off"));
  });
}
