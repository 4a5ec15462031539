// Callers beside each other, against one server of Toolwire: prints calls a second of each round, as JSON.
import { credentials } from "@grpc/grpc-js";
import process from "node:process";
import { createInputs } from "../inputs.mjs";
import { fromStruct, mcplite, toStruct } from "./grpc_js.mjs";
import { connectTransport, createClient, grpcTransport } from "./package.mjs";

const [, , grpcUrl, httpUrl, tool, inFlight, rounds, calls] = process.argv;
const inputs = createInputs(tool, 64);

const raw = new mcplite.MCPLite(new URL(grpcUrl).host, credentials.createInsecure());
const transport = grpcTransport(grpcUrl);
const clients = {
  grpc: createClient(transport),
  http: createClient(`${httpUrl}/mcp-lite/v1`),
  connect: createClient(connectTransport(httpUrl)),
};

const callers = {
  "@grpc/grpc-js": (args) =>
    new Promise((resolve, reject) =>
      raw.CallTool(
        { name: tool, arguments: toStruct(args) },
        (error, response) => error ? reject(error) : resolve(fromStruct(response.result).content),
      )
    ),
  "grpcTransport()": (args) => clients.grpc[tool](args),
  "connectTransport()": (args) => clients.connect[tool](args),
  "JSON over HTTP/1.1": (args) => clients.http[tool](args),
};

const rates = Object.fromEntries(Object.keys(callers).map((name) => [name, []]));
for (let round = -1; round < Number(rounds); round++) {
  for (const [name, call] of Object.entries(callers)) {
    const rate = await measure(call);
    // The first round warms up.
    if (round >= 0) rates[name].push(rate);
  }
}
console.log(JSON.stringify(rates));
raw.close();
transport.close();
process.exit(0);

async function measure(call) {
  let left = Number(calls);
  const startMs = performance.now();
  const work = async () => {
    while (left-- > 0) await call(inputs[left % inputs.length]);
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, work));
  return Number(calls) / (performance.now() - startMs) * 1000;
}
