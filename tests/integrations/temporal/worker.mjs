// A worker of Temporal for the tests, on Node: `node worker.mjs <address> <task queue>`. Prints "running" when it polls.
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../../.cache/temporal/", import.meta.url));
const require = createRequire(join(packages, "package.json"));
const { NativeConnection, Runtime, Worker } = require("@temporalio/worker");

const [address, taskQueue] = process.argv.slice(2);
Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.error, error: console.error } });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL("workflows.mjs", import.meta.url)),
  bundlerOptions: {
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, modules: [join(packages, "node_modules")] },
      resolveLoader: { modules: [join(packages, "node_modules")] },
    }),
  },
});
process.once("SIGTERM", () => worker.shutdown());
console.log("running");
await worker.run();
await connection.close();
