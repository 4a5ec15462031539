/** On Deno: `deno run --allow-net deno.ts [port]`. `deno serve export_default.ts` does without this file. */
import { server } from "./server.ts";

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.args[0] ?? 8000) }, server.fetch);
