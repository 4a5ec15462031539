/** A Worker with a binding, with work after the response, and with a server that is refused. */
import { createServer, defineTool } from "../../mod.ts";

interface Env {
  readonly REGION: string;
}

let written = "nothing";

const tools = [
  defineTool("region").describe("Name the region").handle((_, ctx) => (ctx.env as Env).REGION),
  defineTool("write").describe("Write after the answer").handle((_, ctx) => {
    ctx.waitUntil(
      new Promise<void>((resolve) => {
        setTimeout(() => {
          written = "late";
          resolve();
        }, 100);
      }),
    );
    return "answered";
  }),
  defineTool("written").describe("Read what was written").handle(() => written),
  defineTool("refused").describe("Create a server with promised work").handle(() => {
    const report = defineTool("report").describe("Report").promise().handle(() => "done");
    try {
      return String(createServer({ tools: [report] }).tools.length);
    } catch (thrown) {
      return String(thrown);
    }
  }),
];

const server = createServer({ name: "worker", version: "1.0.0", tools });

export default { fetch: server.fetch };
