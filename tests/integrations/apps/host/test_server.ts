/** The server of the test's view. */
import { createServer, defineTool } from "../../../../mod.ts";
import { view, type ViewOptions } from "../../../../src/entries/apps.ts";
import * as v from "../../../../src/entries/schema.ts";

/** Creates the server with this view. */
export function createTestServer(options: ViewOptions) {
  const points = defineTool("points")
    .describe("Points")
    .input(v.object({ count: v.number() }))
    .output(v.array(v.number()))
    .view(view(options))
    .handle(({ count }) => Array.from({ length: count }, (_, index) => index));
  const strict = defineTool("strict")
    .describe("Fail")
    .errors({ sold_out: v.object({ left: v.number() }) })
    .handle((_, ctx) => {
      throw ctx.fail("sold_out", "There are none left", { left: 0 });
    });
  return createServer({ tools: [points, strict] });
}

/** Type of the server, for the view. */
export type TestServer = ReturnType<typeof createTestServer>;
