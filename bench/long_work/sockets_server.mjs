// Serves the tools on a free port. Prints `{"url"}` once it listens; opens the gate at the first line of its input.
import process from "node:process";
import { memoryEngine, serve } from "./package.mjs";
import { createPromising, Gate } from "./tools.mjs";

const gate = new Gate();
process.stdin.once("data", () => gate.open());
const server = createPromising({ engine: memoryEngine(), concurrency: 10, gate });
const { port } = await serve(server, { port: 0 });
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp-lite/v1/calltools` }));
