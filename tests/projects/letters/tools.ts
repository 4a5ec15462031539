/** The tools: an agent drafts letters for the user who has signed in to the page. */
import { createServer, defineTool, type Principal } from "toolwire";
import { z } from "zod";

const tool = defineTool.for<{ principal: Principal }>();

const draft = tool("draft")
  .describe("Draft a letter, sentence by sentence")
  .input(z.object({ to: z.string().min(1) }))
  .partial(z.string())
  .annotate({ readOnlyHint: true })
  .handle(async function* ({ to }, { principal }) {
    for (const sentence of [`Dear ${to}, `, "thank you for your letter. ", `Yours, ${principal.id}`]) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      yield sentence;
    }
  });

const print = tool("print")
  .describe("Print a letter: takes a while")
  .input(z.object({ text: z.string() }))
  .output(z.object({ pages: z.int() }))
  .promise({ budgetMs: 20 })
  .handle(async ({ text }, ctx) => {
    await ctx.sleep("printer", 300);
    return { pages: Math.ceil(text.length / 2_000) };
  });

const whoami = tool("whoami")
  .describe("Who is signed in")
  .annotate({ readOnlyHint: true })
  .handle((_, { principal }) => ({ user: principal.id }));

export const server = createServer({
  name: "letters",
  version: "1.0.0",
  tools: [draft, print, whoami],
  basePath: "/api",
  keys: process.env.KEYS,
});
export type Server = typeof server;
