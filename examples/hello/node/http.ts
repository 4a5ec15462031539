/** On Node, in your own server: `node http.ts [port]`; from a checkout after `npm run build`. */
import { createServer } from "node:http";
import process from "node:process";
import { toNodeHandler } from "toolwire/serve";
import { server } from "./server.ts";

const tools = toNodeHandler(server);

const http = createServer((request, response) => {
  if (request.url?.startsWith("/mcp-lite/")) tools(request, response);
  else response.end("The tools are at /mcp-lite/v1");
});

http.listen(Number(process.argv[2] ?? 8000), "127.0.0.1", () => {
  const address = http.address();
  if (typeof address === "object") console.log(`Listening on http://127.0.0.1:${address?.port}/`);
});
