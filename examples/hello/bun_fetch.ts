/** On Bun: `bun bun_fetch.ts [port]`. */
import { server } from "./server.ts";

const { url } = Bun.serve({ hostname: "127.0.0.1", port: Number(Bun.argv[2] ?? 8000), fetch: server.fetch });

console.log(`Listening on ${url}`);
