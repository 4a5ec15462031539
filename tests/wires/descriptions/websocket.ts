/** MCP-lite over WebSocket. */
import { webSocket, webSocketTransport } from "../../../src/entries/websocket.ts";
import { pairOpener } from "../socket_pair.ts";
import type { WireDescription } from "./description.ts";

const NAME = "WebSocket";

const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** See above. */
export const websocket: WireDescription = {
  name: NAME,
  wire: webSocket(),
  rows: [
    {
      name: "websocket, in process",
      column: NAME,
      open(server, { headers = {} } = {}) {
        const transport = webSocketTransport("ws://localhost/mcp-lite/v1", {
          open: pairOpener(server),
          fetch: (url, init) => server.fetch(new Request(url, init)),
          headers,
        });
        return Promise.resolve({ transport, close: () => Promise.resolve(transport.close()) });
      },
    },
    {
      name: "websocket, over a socket",
      column: NAME,
      skip: isWorker ? "workerd opens no sockets" : undefined,
      async open(server, { headers = {} } = {}) {
        const { serve } = await import("../../../src/entries/serve.ts");
        const listening = await serve(server, { port: 0, graceMs: 0 });
        const transport = webSocketTransport(listening.url, { headers });
        return {
          transport,
          async close() {
            transport.close();
            await listening.close();
          },
        };
      },
    },
  ],
  without: {
    requests: "its messages are those of one connection: tests/wires/websocket/messages_test.ts",
    HTTP: "what is checked before a socket is accepted: tests/wires/websocket/opening_test.ts",
    ids: "its ids are those of one connection: tests/wires/websocket/messages_test.ts",
    pieces: "a client that does not read: tests/wires/websocket/messages_test.ts",
    "clients of foreign servers": "its client has no responses of HTTP: tests/wires/websocket/client_test.ts",
    principals: "its callers are those of the request that opens it",
  },
  invalidOptions: [
    [webSocket, [null], /^Cannot serve WebSockets: options are an object, not null$/],
    [webSocket, [{ maxConections: 5 }], /there is no option "maxConections"; did you mean "maxConnections"\?$/],
    [webSocket, [{ maxInFlight: 0 }], /maxInFlight must be a whole number above 0, not 0$/, "RangeError"],
    [webSocket, [{ path: "/a?b" }], /path must be like "\/tools"/],
    [webSocket, [{ mcp: true }], /mcp must be what mcpDuplex\(\) gives, not true$/],
    [
      webSocketTransport,
      ["nope"],
      /^Cannot open a WebSocket: pass a URL that begins with "ws:\/\/" or "wss:\/\/", not "nope"$/,
    ],
    [webSocketTransport, ["ws://x", { token: "" }], /token must be a text, or a function that gives it, not ""$/],
    [webSocketTransport, ["ws://x", { idleMs: 0 }], /idleMs must be a number above 0, not 0$/, "RangeError"],
    [webSocketTransport, ["ws://x", { header: {} }], /there is no option "header"; did you mean "headers"\?$/],
  ],
};
