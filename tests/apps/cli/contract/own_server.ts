/** A server with every part that a contract has. */
import { budget } from "../../../../src/entries/answers.ts";
import { createServer, defineTool } from "../../../../mod.ts";
import { definePrompt, defineResource } from "../../../../src/entries/mcp.ts";
import * as v from "../../../../src/entries/schema.ts";

const node = v.object({ name: v.string(), size: v.nullable(v.number()) });

const find = defineTool("find").title("Find nodes").describe("Finds nodes */ by name")
  .input(
    v.object({
      name: v.string(),
      kinds: v.optional(v.array(v.picklist(["file", "folder"]))),
      limit: v.optional(v.number(), 10),
    }),
  )
  .output(v.object({ nodes: v.array(node), total: v.optional(v.number()) }))
  .handle(() => ({ nodes: [] }));

const book = defineTool("book").describe("Books a seat")
  .input(v.object({ seat: v.string() }))
  .output(v.string())
  .partial(v.object({ step: v.number() }))
  .errors({ sold_out: null, locked: v.object({ by: v.string() }) })
  .promise({ required: true })
  .handle(() => "1A");

const pages = defineTool("pages").describe("Lists pages").annotate({ readOnlyHint: true }).output(v.array(node)).answer(
  budget({ maxTokens: 1_000 }),
).handle(() => []);

const ping = defineTool("ping").describe("Answers").handle(() => "pong");

/** The server. */
export const server = createServer({
  tools: [find, book, pages, ping],
  resources: [
    defineResource("config://app").describe("Settings").mimeType("application/json").read(() => "{}"),
    defineResource("log://{day}/{part}").describe("Logs of a day").read(() => "x"),
  ],
  prompts: [
    definePrompt("review").describe("Review code").input(v.object({ code: v.string(), style: v.optional(v.string()) }))
      .handle(() => "x"),
  ],
});
