/** A server in nothing but `Bun.serve({ fetch: server.fetch })`, with tools that take their time. */
import { createServer, defineTool } from "../../mod.ts";

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const tools = [
  defineTool("nap").describe("Answer late").handle(async ({ ms }) => {
    await delay(Number(ms));
    return "rested";
  }),
  defineTool("quiet").describe("Say a word, be quiet, say another").timeout(60_000).handle(async function* ({ ms }) {
    yield "before";
    await delay(Number(ms));
    yield "after";
  }),
];

const server = createServer({ name: "idle", version: "1.0.0", tools, hosts: ["localhost", "127.0.0.1"] });

const { url } = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: server.fetch });
console.log(`Listening on ${url}`);
