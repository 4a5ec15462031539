/** The feed of the console behind `node:http`, which has no `Request` whose reply could be observed. */
import { deepStrictEqual } from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, defineTool, mcpLite } from "../../mod.ts";
import { toNodeHandler } from "../../src/runtime/node_handler.ts";
import { consolePage } from "../../src/entries/console.ts";
import { testWith } from "../serve/programs.ts";
import { PAGE_KEY } from "./page_server.ts";

testWith("console: requests that are no call are in the feed behind node:http, too", [], async () => {
  const tools = [defineTool("ping").describe("Answer").handle(() => "pong")];
  const server = createServer({ tools, wires: [mcpLite(), consolePage({ key: PAGE_KEY })], logger: false });
  const http = createHttpServer(toNodeHandler(server));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const post = async (path: string, body: string) => {
    const headers = {
      "content-type": "application/json",
      "x-toolwire-console": "1",
      "x-toolwire-console-key": PAGE_KEY,
      connection: "close",
    };
    return await (await fetch(url + path, { method: "POST", headers, body })).json();
  };
  await post("/mcp-lite/v1/callme", "{}");
  await post("/mcp-lite/v1/calltools", "[");
  const { events } = await post("/console/api/poll", "{}") as {
    events: { type: string; path?: string; status?: number }[];
  };
  deepStrictEqual(events.map(({ type, path, status }) => [type, path, status]), [
    ["refused", "/mcp-lite/v1/callme", 404],
    ["refused", "/mcp-lite/v1/calltools", 400],
  ]);
  await new Promise<unknown>((resolve) => http.close(resolve));
  await server.close(0);
});
