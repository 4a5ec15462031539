// @grpc/grpc-js, with messages by @grpc/proto-loader, as its documents have it. It does not treat a Struct as JSON: that is converted.
import { loadPackageDefinition, Server, ServerCredentials } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { fileURLToPath } from "node:url";
import { drain } from "../tools.mjs";
import { lookUp } from "./tools.mjs";

const proto = fileURLToPath(
  new URL("../../proto/mcplite.proto", import.meta.url),
);
export const { mcplite } = loadPackageDefinition(
  loadSync(proto, { keepCase: true, longs: Number }),
);

export function toStruct(object) {
  return {
    fields: Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, toValue(value)]),
    ),
  };
}

function toValue(value) {
  if (value === null) return { nullValue: 0 };
  if (Array.isArray(value)) {
    return { listValue: { values: value.map(toValue) } };
  }
  switch (typeof value) {
    case "number":
      return { numberValue: value };
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    default:
      return { structValue: toStruct(value) };
  }
}

export function fromStruct({ fields }) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, fromValue(value)]),
  );
}

function fromValue(value) {
  if (value.structValue) return fromStruct(value.structValue);
  if (value.listValue) return value.listValue.values.map(fromValue);
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? null;
}

function answer(content, startedMs) {
  const nowMs = Date.now();
  return {
    result: toStruct({ content }),
    meta: { timestamp: nowMs, processing_time_ms: nowMs - startedMs },
  };
}

function callTool({ request }, done) {
  const startedMs = Date.now();
  const { tool, input } = lookUp(request.name, fromStruct(request.arguments));
  done(null, answer(tool.run(input), startedMs));
}

async function callToolStream(call) {
  const startedMs = Date.now();
  const { tool, input } = lookUp(
    call.request.name,
    fromStruct(call.request.arguments),
  );
  const content = await drain(
    tool.stream(input),
    (partial) => void call.write({ result: toStruct({ partial }) }),
  );
  call.write(answer(content, startedMs));
  call.end();
}

if (import.meta.main ?? process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = new Server();
  server.addService(mcplite.MCPLite.service, {
    CallTool: callTool,
    CallToolStream: callToolStream,
  });
  server.bindAsync(
    "127.0.0.1:0",
    ServerCredentials.createInsecure(),
    (error, port) => {
      if (error) throw error;
      console.log(JSON.stringify({ grpc: `http://127.0.0.1:${port}` }));
    },
  );
}
