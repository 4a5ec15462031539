/** A server that wants to harm the command line: what it lists, says and answers is chosen by the test. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a terminal, a log and a file must not get from a server: it clears the screen, sets the title, writes a link, hides text. */
export const ESCAPES = "\u001b[2J\u001b]0;owned\u0007\u001b]8;;http://evil.example\u0007\u009b31m\u202e\u2028\r\b";

/** Answers a request; returns nothing if it has written the response itself. */
export type Evil = (message: RpcMessage, request: IncomingMessage, response: ServerResponse) => object | void;

/** A message of JSON-RPC as the command line sends it. */
export interface RpcMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A server of MCP 2026-07-28 that runs. */
export interface EvilServer extends AsyncDisposable {
  readonly url: string;
  /** Requests that were received, as `METHOD path`, with the header `authorization` if there is one. */
  readonly asked: string[];
}

/** Starts a server whose results are made by `evil`, by default those of a server with the given tools. */
export async function startEvil(evil: Evil): Promise<EvilServer> {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    const { method, url, headers: { authorization = "" } } = request;
    asked.push(`${method} ${url} ${authorization}`.trim());
    let body = "";
    request.setEncoding("utf8").on("data", (text) => body += text).on("end", () => {
      const message = parse(body);
      const result = evil(message, request, response);
      if (result === undefined) return;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...result }));
    });
    response.on("error", () => {});
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    asked,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function parse(body: string): RpcMessage {
  try {
    return JSON.parse(body) as RpcMessage;
  } catch {
    return {};
  }
}

/** Results of a server that is right but for its words: `words` is in each of its names and texts. */
export function wordy(words: string, tools: readonly object[] = [], answer?: object): Evil {
  return ({ method }) => {
    switch (method) {
      case "server/discover":
        return {
          result: {
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: { tools: {} },
            serverInfo: { name: `server ${words}`, version: `1 ${words}` },
            instructions: words,
          },
        };
      case "tools/list":
        return { result: { resultType: "complete", tools } };
      case "tools/call":
        return { result: { resultType: "complete", ...answer } };
      default:
        return { error: { code: -32601, message: `Not found ${words}`, data: { words } } };
    }
  };
}
