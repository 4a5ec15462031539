/** Servers of MCP-lite over gRPC that are wrong in one point each: by the check that has to find them. */
import { ResponseType } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import type { Mutant } from "./mutate.ts";
import { onListed, onResponse, onRpc, onStatus } from "./mutate_grpc.ts";

let tokens = 0;

const PROMISE = "analyze_dataset";
const STREAM = "generate_report";
const UNKNOWN = "conformance_unknown_tool";

/** Changes the responses of a stream. */
const onStream = (change: (rpc: Parameters<Parameters<typeof onRpc>[0]>[0]) => void): Mutant =>
  onRpc((rpc) => {
    if (rpc.method === "CallToolStream" && rpc.tool === STREAM) change(rpc);
  });

/** Mutants by the id of the check that finds them. */
export const GRPC_MUTANTS: Readonly<Record<string, Mutant>> = {
  "2.1-same-tools": onRpc(({ tools }) => void tools.pop()),
  "2.1-same-answer": onResponse("search_documents", (response) => void (response.result = { content: [] })),
  "3.1-list": onRpc((rpc) => {
    if (rpc.method === "GetTools") rpc.trailers["grpc-status"] = "12";
  }),
  "3.1-unique-names": onRpc(({ tools }) => void tools.push(...tools.slice(-1))),
  "3.1-redeem-listed": onRpc((rpc) => void (rpc.tools = rpc.tools.filter(({ name }) => name !== "redeem"))),
  "3.2-valid-arguments": onStatus("search_documents", 0, 3),
  "3.2-invalid-arguments": onStatus("search_documents", 3, 2),
  "3.3-meta": onResponse("search_documents", (response) => void delete response.meta),
  "3.3-response-type": onResponse("search_documents", ({ meta }) => void (meta!.responseType = 9 as ResponseType)),
  "3.4-question": onStatus("order", 0, 9, "Which size?"),
  "3.4-failure": onStatus("buy", 0, 9, "Sold out"),
  "3.5-token": onResponse(PROMISE, ({ meta }) => void (meta!.promiseToken = "")),
  "3.5-unique-token": onResponse(PROMISE, ({ meta }) => void (meta!.promiseToken = "prom_a7b9c2d4e6f8")),
  "3.5-unguessable-token": onResponse(PROMISE, ({ meta }) => {
    meta!.promiseToken = `prom_${String(++tokens).padStart(8, "0")}`;
  }),
  "3.5-guessed-token": onRpc((rpc) => {
    if (rpc.tool === "redeem" && rpc.trailers["grpc-status"] === "3") rpc.trailers["grpc-status"] = "0";
  }),
  "3.5-expiry": onResponse(PROMISE, ({ meta }) => void (meta!.expiresAt = 1n)),
  "3.6-type": onListed("redeem", (tool) => void (tool.type = "")),
  "3.6-parameter": onListed("redeem", (tool) => void (tool.inputSchema = { type: "object" })),
  "3.6-missing-parameter": onStatus("redeem", 3, 5),
  "3.6-redemption": onStatus("redeem", 0, 13),
  "3.7-partial-messages": onStream((rpc) => void (rpc.responses = rpc.responses.slice(-1))),
  "3.7-final-meta": onStream(({ responses }) => void delete responses.at(-1)!.meta),
  "3.7-termination": onStream(({ responses }) => void responses.push(responses[0]!)),
  "3.7-client-leaves": (fetch) => {
    let streams = 0;
    return (url, init) => {
      if (url.endsWith("CallToolStream")) streams++;
      // The stream that is left is the second one.
      const isLost = streams > 1 && url.endsWith("GetTools");
      return isLost ? Promise.resolve(new Response(null, { status: 500 })) : fetch(url, init);
    };
  },
  "3.9-name": onListed("write", (tool) => void (tool.name = "")),
  "3.9-description": onListed("write", (tool) => void (tool.description = "")),
  "3.9-input-schema": onListed("write", (tool) => void delete tool.inputSchema),
  "5.1-get-tools": onRpc((rpc) => {
    if (rpc.method === "GetTools") rpc.trailers["grpc-status"] = "12";
  }),
  "5.1-call-tool": onRpc(({ method, responses }) => void (method === "CallTool" && responses.push(...responses))),
  "5.1-call-tool-stream": (fetch) => (url, init) => {
    const headers = { "content-type": "application/grpc-web+proto", "grpc-status": "12" };
    return url.endsWith("CallToolStream") ? Promise.resolve(new Response(null, { headers })) : fetch(url, init);
  },
  "5.2-messages": onResponse("search_documents", (response) => void delete response.result),
  "5.2-timestamp": onResponse("search_documents", ({ meta }) => void (meta!.timestamp = 1_704_110_400n)),
  "5.3-promise": onResponse(PROMISE, ({ meta }) => void (meta!.responseType = ResponseType.ANSWER)),
  "5.4-final-meta": onStream(({ responses }) => void (responses[0]!.meta = responses.at(-1)!.meta!)),
  "5.5-deadline": onStatus("slow", 4, 14),
  "5.5-internal": onRpc((rpc) => {
    if (rpc.tool === "broken") {
      rpc.trailers["grpc-message"] = encodeURIComponent("at handler (/home/ada/server.ts:12:7)");
    }
  }),
  "A.2-content": onResponse("search_documents", (response) => void (response.result = {})),
  "A.5-unknown-tool": onStatus(UNKNOWN, 5, 2),
  "A.5-message": onStatus(UNKNOWN, 5, 5, "No such tool"),
  "A.5-details": onStatus(UNKNOWN, 5, 5, `Tool not found: ${UNKNOWN}`),
};
