import { createServer, defineTool } from "toolwire";
import { z } from "zod";

const draft = defineTool("draft")
  .describe("Draft a letter, sentence by sentence")
  .input(z.object({ to: z.string().min(1) }))
  .partial(z.string())
  .annotate({ readOnlyHint: true })
  .handle(async function* ({ to }) {
    for (const sentence of [`Dear ${to}, `, "thank you for your letter. ", "Yours, Ada"]) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      yield sentence;
    }
  });

const whoami = defineTool("whoami")
  .describe("Who is signed in")
  .annotate({ readOnlyHint: true })
  .handle((_, ctx) => {
    const user = /(?:^|; )user=(\w+)/.exec(ctx.metadata.get("cookie") ?? "")?.[1];
    return { user: user ?? null };
  });

export const server = createServer({ name: "letters", version: "1.0.0", tools: [draft, whoami], basePath: "/api" });
export type Server = typeof server;
