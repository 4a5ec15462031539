/** On Bun, which takes a server as it is, `Bun.serve(server)`, or with options: `bun bun_server.ts [port]`. */
import { server } from "./server.ts";

const { url } = Bun.serve({ ...server, hostname: "127.0.0.1", port: Number(Bun.argv[2] ?? 8000) });

console.log(`Listening on ${url}`);
