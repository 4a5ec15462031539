/** A Worker with tools that take their time: what a request began must not end with another one. */
import { createServer, defineTool } from "../../mod.ts";

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const tools = [
  defineTool("nap").describe("Answer late").handle(async ({ ms }) => {
    await delay(Number(ms));
    return "rested";
  }),
  defineTool("quiet").describe("Say a word, be quiet, say another").handle(async function* ({ ms }) {
    yield "before";
    await delay(Number(ms));
    yield "after";
  }),
];

const server = createServer({ name: "worker", version: "1.0.0", tools });

export default { fetch: server.fetch };
