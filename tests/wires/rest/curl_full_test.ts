/** The commands of docs/rest.md, run by `curl` against the server of the page: each prints what the page says. */
import { ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { content } from "../../../src/entries/mcp.ts";
import { rest } from "../../../src/entries/rest.ts";
import { findProgram, root, runProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const search = defineTool("search").describe("Search the books")
  .input(v.object({ text: v.string(), limit: v.optional(v.number(), 10), tags: v.optional(v.array(v.string())) }))
  .output(v.array(v.string())).annotate({ readOnlyHint: true })
  .handle(({ text, limit }) => [`${text} and its history`].slice(0, limit));
const reserve = defineTool("reserve").describe("Reserve a book").input(v.object({ id: v.string() }))
  .errors({ on_loan: v.object({ until: v.string() }) })
  .handle(({ id }, ctx): string => {
    if (id === "7") throw ctx.fail("on_loan", "The book is on loan", { until: "2027-01-01" });
    return `reserved ${id}`;
  });
const scan = defineTool("scan").describe("Scan a book").input(v.object({ pages: v.number() })).promise()
  .handle(async ({ pages }) => await Promise.resolve(`${pages} pages`));
// A picture of one pixel.
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const cover = defineTool("cover").describe("The cover of a book").input(v.object({ id: v.string() }))
  .annotate({ readOnlyHint: true }).handle(() => content.image(PIXEL, "image/png"));
const exportBooks = defineTool("export").describe("Export the books").annotate({ readOnlyHint: true })
  .handle(async function* () {
    yield* ["id,title\n", "7,REST and its history\n"];
  });
const tools = [search, reserve, scan, cover, exportBooks];

/** Commands, each with the lines that follow it as comments. */
function commandsOf(page: string): readonly (readonly [command: string, output: string])[] {
  const fences = [...page.matchAll(/```sh\n([^`]*)```/g)].map(([, fence = ""]) => fence);
  return fences.join("").split(/^(?=curl )/m).map((block) => {
    const lines = block.trimEnd().split("\n");
    const output = lines.filter((line) => line.startsWith("# ")).map((line) => line.slice(2));
    return [lines.filter((line) => !line.startsWith("# ")).join("\n"), output.join("\n")];
  });
}

testWith("curl prints what the page says", [findProgram("curl"), findProgram("bash")], async (_, bash) => {
  const page = await readFile(join(root, "docs/rest.md"), "utf8");
  const commands = commandsOf(page);
  ok(commands.length >= 4, `${commands.length} commands`);
  const server = createServer({ name: "books", version: "1.0.0", tools, wires: [rest()] });
  const listening = await serve(server, { port: 0, graceMs: 0 });
  await using folder = await temporaryFolder();
  try {
    for (const [command, output] of commands) {
      const here = command.replaceAll("http://127.0.0.1:8000", listening.url);
      const { stdout, stderr } = await runProgram([bash, "-c", here], { cwd: folder.path });
      const start = output.endsWith("…") ? output.slice(0, -1) : output;
      ok(output !== "" && stdout.trim().startsWith(start), `${command}\nprinted ${stdout}${stderr}`);
      ok(output.endsWith("…") || stdout.trim() === output, `${command}\nprinted ${stdout}`);
    }
  } finally {
    await listening.close();
  }
});
