// Asks a server what its answers should be, with grpc-js and with fetch, before anything is timed.
import { credentials } from "@grpc/grpc-js";
import { deepStrictEqual } from "node:assert/strict";
import { createInputs } from "../inputs.mjs";
import { drain } from "../tools.mjs";
import { fromStruct, mcplite, toStruct } from "./grpc_js.mjs";
import { tools } from "./tools.mjs";

/** Throws if an answer is wrong. */
export async function check({ grpc, http }) {
  const client = new mcplite.MCPLite(
    new URL(grpc).host,
    credentials.createInsecure(),
  );
  try {
    for (const tool of tools) {
      for (const args of createInputs(tool.name, 8)) {
        const { pieces, answer } = tool.stream ? await expectedStream(tool, args) : { answer: tool.run(args) };
        const request = { name: tool.name, arguments: toStruct(args) };
        if (pieces) {
          deepStrictEqual(await readStream(client.CallToolStream(request)), {
            pieces,
            answer,
          });
        } else deepStrictEqual(await callOnce(client, request), answer);
        if (http && !pieces) {
          deepStrictEqual(await callHttp(http, tool.name, args), answer);
        }
      }
    }
  } finally {
    client.close();
  }
}

async function expectedStream(tool, args) {
  const pieces = [];
  return {
    pieces,
    answer: await drain(tool.stream(args), (piece) => void pieces.push(piece)),
  };
}

function callOnce(client, request) {
  return new Promise((resolve, reject) =>
    client.CallTool(
      request,
      (error, response) => error ? reject(error) : resolve(fromStruct(response.result).content),
    )
  );
}

async function readStream(call) {
  const messages = [];
  for await (const { result } of call) messages.push(fromStruct(result));
  return {
    pieces: messages.slice(0, -1).map(({ partial }) => partial),
    answer: messages.at(-1).content,
  };
}

async function callHttp(url, name, args) {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/mcp-lite/v1/rpc`, {
    method: "POST",
    headers,
    body,
  });
  return (await response.json()).result.content;
}
