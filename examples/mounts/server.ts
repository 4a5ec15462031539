/** The server that every other file here mounts. All of its wires answer below `/v`. */
import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
import { mcp } from "jsr:@toolwire/toolwire/mcp";
import { rest } from "jsr:@toolwire/toolwire/rest";
import * as v from "jsr:@toolwire/toolwire/schema";

const greet = defineTool("greet")
  .describe("Greet someone")
  .input(v.object({ name: v.string() }))
  .handle(({ name }) => `Hello, ${name}!`);

const report = defineTool("report")
  .describe("Write a report")
  .promise()
  .handle(() => "done");

const countDown = defineTool("count_down")
  .describe("Count down to 1, a number at a time")
  .input(v.object({ from: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)) }))
  .handle(async function* ({ from }) {
    for (let left = from; left > 0; left--) yield left;
  });

export const server = createServer({
  name: "mounted",
  version: "1.0.0",
  basePath: "/v",
  tools: [greet, report, countDown],
  wires: [mcp(), mcpLite(), rest()],
  hosts: ["localhost", "127.0.0.1"],
});
