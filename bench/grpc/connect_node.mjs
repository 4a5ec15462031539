// @connectrpc/connect-node with protobuf-es, as its documents have it.
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer } from "node:http2";
import { drain } from "../tools.mjs";
import { MCPLite } from "./package.mjs";
import { lookUp } from "./tools.mjs";

function answer(content, startedMs) {
  const nowMs = Date.now();
  return {
    result: { content },
    meta: { timestamp: BigInt(nowMs), processingTimeMs: nowMs - startedMs },
  };
}

const routes = (router) =>
  router.service(MCPLite, {
    callTool(request) {
      const startedMs = Date.now();
      const { tool, input } = lookUp(request.name, request.arguments);
      return answer(tool.run(input), startedMs);
    },
    async *callToolStream(request) {
      const startedMs = Date.now();
      const { tool, input } = lookUp(request.name, request.arguments);
      const pieces = [];
      const content = await drain(tool.stream(input), (partial) => void pieces.push(partial));
      for (const partial of pieces) {
        yield { result: { partial } };
      }
      yield answer(content, startedMs);
    },
  });

const server = createServer(connectNodeAdapter({ routes }));
server.listen(0, "127.0.0.1", () => {
  console.log(
    JSON.stringify({ grpc: `http://127.0.0.1:${server.address().port}` }),
  );
});
