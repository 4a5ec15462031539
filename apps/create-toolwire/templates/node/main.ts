/** Serves the tools over HTTP. */
import process from "node:process";
import { serve } from "toolwire/serve";
import { server } from "./server.ts";

const port = Number(process.env["PORT"] ?? 8000);
await serve(server, { port, banner: true, signals: ["SIGINT", "SIGTERM"] });
