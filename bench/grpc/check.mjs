// Asks a server what its answers should be, with grpc-js and with fetch, before anything is timed.
import { credentials } from "@grpc/grpc-js";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { decodeCall } from "../contenders/mcp_lite_http.mjs";
import { createInputs } from "../inputs.mjs";
import { expected } from "../http/check.mjs";
import { fromStruct, mcplite, toStruct } from "./grpc_js.mjs";
import { tools } from "./tools.mjs";

const { service } = mcplite.MCPLite;
/** What is before each message of gRPC. */
const messageHead = 5;

/**
 * Throws if an answer is wrong.
 *
 * @returns how many bytes the answer to each tool's first input has: `{ grpc: { add: 31 }, http: { add: 132 } }`.
 */
export async function check({ grpc, http }) {
  const client = new mcplite.MCPLite(
    new URL(grpc).host,
    credentials.createInsecure(),
  );
  const bytes = { grpc: {}, http: {} };
  try {
    for (const tool of tools) {
      for (const args of createInputs(tool.name, 8)) {
        const answers = {
          grpc: await callGrpc(client, tool, args),
          ...(http && { http: await callHttp(http, tool, args) }),
        };
        for (const [protocol, { answer, length }] of Object.entries(answers)) {
          deepStrictEqual(answer, await expected(tool, args));
          bytes[protocol][tool.name] ??= length;
        }
      }
    }
    return bytes;
  } finally {
    client.close();
  }
}

async function callGrpc(client, tool, args) {
  const { path, requestSerialize, responseDeserialize } = service[tool.stream ? "CallToolStream" : "CallTool"];
  let length = 0;
  const read = (message) => {
    length += messageHead + message.length;
    return responseDeserialize(message);
  };
  const request = { name: tool.name, arguments: toStruct(args) };
  const messages = [];
  if (tool.stream) {
    const pieces = client.makeServerStreamRequest(path, requestSerialize, read, request);
    for await (const message of pieces) messages.push(message);
  } else {
    messages.push(
      await new Promise((resolve, reject) => {
        const settle = (error, response) => error ? reject(error) : resolve(response);
        client.makeUnaryRequest(path, requestSerialize, read, request, settle);
      }),
    );
  }
  const results = messages.map(({ result }) => fromStruct(result));
  const value = results.pop().content;
  return { answer: { value, partials: results.map(({ partial }) => partial) }, length };
}

async function callHttp(url, tool, args) {
  const id = 1;
  const streams = tool.stream !== undefined;
  const headers = { "content-type": "application/json", accept: streams ? "text/event-stream" : "application/json" };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: tool.name, arguments: args },
  });
  const response = await fetch(`${url}/mcp-lite/v1/rpc`, {
    method: "POST",
    headers,
    body,
  });
  const text = await response.text();
  strictEqual(response.status, 200, text);
  return { answer: decodeCall(text, { id, streams }), length: Buffer.byteLength(text) };
}
