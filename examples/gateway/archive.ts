/** A server behind HTTP, in its own keys: work that takes longer than anyone waits for. */
import { createServer, defineTool } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";

const search = defineTool("search").describe("Search the archive, box by box").input(v.object({ word: v.string() }))
  .promise({ budgetMs: 50 }).output(v.string())
  .handle(async ({ word }, ctx) => {
    for (let box = 1; box <= 5; box++) {
      ctx.progress(box, 5, `box ${box}`);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return `"${word}" is in box 5`;
  });

/** The server. */
export const server = createServer({
  name: "archive",
  tools: [search],
  keys: "k1:what only the archive itself may know",
});
