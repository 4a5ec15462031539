/**
 * One replica as a process: `replica.ts <name> <port> <redis url>`, with `TOOLWIRE_KEYS` in its environment.
 *
 * @module
 */
import process from "node:process";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { createReplica } from "./server.ts";

const [name = "", port = "", redis = ""] = process.argv.slice(2);
const { url } = await serve(createReplica(name, redis), { port: Number(port) });
console.log(`Replica ${name} serves on ${url}`);
