/** On Node, after `npm install toolwire`: `node serve.ts [port]`, with a graceful shutdown. */
import process from "node:process";
import { serve } from "toolwire/serve";
import { server } from "./server.ts";

const { url } = await serve(server, { port: Number(process.argv[2] ?? 8000), signals: ["SIGINT", "SIGTERM"] });

console.log(`Listening on ${url}`);
