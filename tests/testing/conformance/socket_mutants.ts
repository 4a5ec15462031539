/** Servers of MCP-lite over WebSocket that are wrong in one point each: by the check that has to find them. */
import { asObject, type Members } from "../../../src/internal/json.ts";
import type { ClientSocket, OpenSocket, SocketEvent } from "../../../src/entries/websocket.ts";
import { HTTP_MUTANTS } from "./http_mutants.ts";
import { type Mutant, onCall, onTools } from "./mutate.ts";

/** A wrong server, made of the correct one. */
export type SocketMutant = (open: OpenSocket) => OpenSocket;

/** Changes a message of the server, by the request of its socket. Returns the messages in its place. */
type Change = (message: Members, request: Members) => readonly Members[] | Promise<readonly Members[]>;

/** Changes what sockets receive, in order. */
function onMessages(change: Change): SocketMutant {
  return (open) => (url, protocols, headers) => {
    const socket = open(url, protocols, headers);
    let request: Members | undefined;
    let last = Promise.resolve();
    const wrapped: ClientSocket = {
      get readyState() {
        return socket.readyState;
      },
      send(text) {
        request ??= asObject(JSON.parse(text));
        socket.send(text);
      },
      close: (code, reason) => socket.close(code, reason),
      addEventListener(type, listener) {
        if (type !== "message") return socket.addEventListener(type, listener);
        socket.addEventListener(type, ({ data }: SocketEvent) => {
          last = last.then(async () => {
            const changed = await change(asObject(JSON.parse(String(data))), request ?? {});
            for (const message of changed) listener({ data: JSON.stringify(message) });
          });
        });
      },
    };
    return wrapped;
  };
}

const STATUSES: Readonly<Record<number, number>> = { [-32601]: 404, [-32602]: 400, [-32603]: 500 };

/** The same fault over WebSocket: responses go through the mutant of HTTP. */
function asOnHttp(mutant: Mutant): SocketMutant {
  return onMessages(async (message, request) => {
    if (message["id"] !== "conformance") return [message];
    const isList = request["method"] === "tools/list";
    const { tools } = asObject(message["result"]);
    const text = JSON.stringify(isList ? { tools } : message);
    const status = STATUSES[Number(asObject(message["error"])["code"])] ?? 200;
    const fetch = mutant(() => Promise.resolve(new Response(text, { status })));
    const path = isList ? "tools" : "calltools";
    const response = await fetch(`http://localhost/mcp-lite/v1/${path}`, {
      method: "POST",
      body: JSON.stringify(request),
    });
    const changed = { ...asObject(await response.json()), id: "conformance" };
    return [
      isList ? { ...message, result: { ...asObject(message["result"]), tools: asObject(changed)["tools"] } } : changed,
    ];
  });
}

/** Changes the messages of a stream. */
function onStream(change: (message: Members, isEvent: boolean) => readonly Members[]): SocketMutant {
  return onMessages((message, request) => {
    const isStream = asObject(request["params"])["stream"] === true && message["id"] !== "conformance-end";
    return isStream ? change(message, message["id"] === undefined) : [message];
  });
}

const LATE = { jsonrpc: "2.0", method: "notifications/event", params: { id: "conformance", partial: "late" } };

const STREAMS = ["3.7-partial-messages", "3.7-final-meta", "3.7-termination", "3.7-client-leaves"];

/** Checks of HTTP alone. */
const HTTP_ONLY = /^(?:3\.8|3\.9-type|4|8|A\.1|A\.2-timestamp|A\.4|A\.5-(?!unknown))/;

const shared = Object.entries(HTTP_MUTANTS).filter(([id]) => !HTTP_ONLY.test(id) && !STREAMS.includes(id));

/** Mutants by the id of the check that finds them. */
export const SOCKET_MUTANTS: Readonly<Record<string, SocketMutant>> = {
  ...Object.fromEntries(shared.map(([id, mutant]) => [id, asOnHttp(mutant)])),
  "2.1-same-tools": asOnHttp(onTools((tools) => tools.slice(1))),
  "2.1-same-answer": asOnHttp(onCall((message) => {
    return { ...message, result: { ...asObject(message["result"]), content: [] } };
  }, "search_documents")),
  "3.7-partial-messages": onStream((message, isEvent) => (isEvent ? [] : [message])),
  "3.7-final-meta": onStream((message, isEvent) => {
    const { _meta, ...result } = asObject(message["result"]);
    return [isEvent ? message : { ...message, result }];
  }),
  "3.7-termination": onStream((message, isEvent) => (isEvent ? [message] : [message, LATE])),
  "3.7-client-leaves": (open) => {
    let streams = 0;
    return onMessages((message, { method, params }) => {
      if (asObject(params)["stream"] === true && message["id"] !== "conformance-end") streams++;
      // The list after the stream that is left: streams have several messages.
      const isLost = method === "tools/list" && streams > 0;
      return [isLost && message["id"] === "conformance" ? { ...message, result: {} } : message];
    })(open);
  },
};
