// A worker of Temporal for the tests, on Node: `node worker.mjs <address> <task queue> <folder for files>`. Prints "running" when it
// polls. Its workflows are those of the tests and that of docs/temporal.md.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../../.cache/temporal/", import.meta.url));
const require = createRequire(join(packages, "package.json"));
const { NativeConnection, Runtime, Worker } = require("@temporalio/worker");

const [address, taskQueue, folder] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const guide = join(folder, "guide.ts");
const [, documented] = readFileSync(here("../../../docs/temporal.md"), "utf8").match(
  /^\/\/ workflows\.ts$([^]*?)^```/m,
);
writeFileSync(guide, documented);
const workflowsPath = join(folder, "workflows.ts");
writeFileSync(workflowsPath, `export * from "./guide.ts";\nexport * from ${JSON.stringify(here("workflows.mjs"))};\n`);
Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.error, error: console.error } });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath,
  bundlerOptions: {
    webpackConfigHook: (config) => ({
      ...config,
      resolve: {
        ...config.resolve,
        modules: [join(packages, "node_modules")],
        alias: {
          ...config.resolve.alias,
          "toolwire/temporal/workflow": here("../../../src/entries/temporal/workflow.ts"),
        },
      },
      resolveLoader: { modules: [join(packages, "node_modules")] },
    }),
  },
});
process.once("SIGTERM", () => worker.shutdown());
console.log("running");
await worker.run();
await connection.close();
