/** The server that every other file here hosts: two tools, one of which streams. */
import { createServer, defineTool } from "toolwire";
import * as v from "toolwire/schema";

const greet = defineTool("greet")
  .describe("Greet someone")
  .input(v.object({ name: v.string() }))
  .handle(({ name }) => `Hello, ${name}!`);

const countDown = defineTool("count_down")
  .describe("Count down to 1, a number at a time")
  .input(v.object({ from: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)) }))
  .handle(async function* ({ from }) {
    for (let left = from; left > 0; left--) {
      yield left;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

// `hosts`: the names that the server is reached by. Without them a hostile page could reach it by another name.
export const server = createServer({
  name: "hello",
  version: "1.0.0",
  tools: [greet, countDown],
  hosts: ["localhost", "127.0.0.1"],
});
