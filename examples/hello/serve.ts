/** On Bun, Deno and Node alike, with a graceful shutdown: `bun serve.ts [port]`, `deno run -A serve.ts [port]`. */
import { serve } from "jsr:@toolwire/toolwire/serve";
import process from "node:process";
import { server } from "./server.ts";

const { url } = await serve(server, { port: Number(process.argv[2] ?? 8000), signals: ["SIGINT", "SIGTERM"] });

console.log(`Listening on ${url}`);
