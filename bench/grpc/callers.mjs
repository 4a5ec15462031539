// Callers beside each other, against one server of Toolwire: prints calls a second of each round, as JSON.
import { credentials } from "@grpc/grpc-js";
import process from "node:process";
import { timeCallers } from "../caller_rounds.mjs";
import { createInputs } from "../inputs.mjs";
import { fromStruct, mcplite, toStruct } from "./grpc_js.mjs";
import { connectTransport, createClient, grpcTransport } from "./package.mjs";

const [, , grpcUrl, httpUrl, tool, ...counts] = process.argv;
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

const [inFlight, rounds, calls] = counts.map(Number);
console.log(JSON.stringify(await timeCallers(callers, inputs, { inFlight, rounds, calls })));
raw.close();
transport.close();
process.exit(0);
