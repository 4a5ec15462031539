/**
 * A folder of text files for models: search, reading in pages, and writing that asks before it replaces a file.
 *
 * `bun examples/files/server.ts <folder>` serves a folder to the host that starts it, over stdio.
 *
 * @module
 */
import { readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { createServer, defineTool, Failure } from "jsr:@toolwire/toolwire";
import { budget } from "jsr:@toolwire/toolwire/answers";
import { defineResource, mcp } from "jsr:@toolwire/toolwire/mcp";
import * as v from "jsr:@toolwire/toolwire/schema";
import { serveStdio } from "jsr:@toolwire/toolwire/stdio";

const TEXT = /\.(md|txt|csv|json|ts|js|html|css)$/;

const path = v.pipe(v.string(), v.minLength(1), v.description("Path within the folder"));
const Hit = v.object({ path: v.string(), line: v.number(), text: v.string() });

/** Creates the server of a folder. */
export async function createFiles(folder: string) {
  const root = await realpath(folder);

  const search = defineTool("search")
    .describe("Find lines that contain a text, in all text files")
    .input(v.object({ text: v.pipe(v.string(), v.minLength(2)), limit: v.optional(v.number(), 20) }))
    .output(v.array(Hit))
    .annotate({ readOnlyHint: true })
    .handle(async ({ text, limit }, ctx) => {
      const hits: v.InferOutput<typeof Hit>[] = [];
      for (const path of await list(root)) {
        ctx.signal.throwIfAborted();
        const lines = (await readFile(join(root, path), "utf8")).split("\n");
        lines.forEach((line, index) => {
          if (line.toLowerCase().includes(text.toLowerCase())) {
            hits.push({ path, line: index + 1, text: line.slice(0, 200) });
          }
        });
        if (hits.length >= limit) break;
      }
      return hits.slice(0, limit);
    });

  const read = defineTool("read")
    .describe("Read a text file")
    .input(v.object({ path }))
    .output(v.string())
    .annotate({ readOnlyHint: true })
    .answer(budget({ maxTokens: 4_000 })) // A longer file comes in parts that end with a line.
    .handle(async ({ path }) => await readFile(await locate(root, path), "utf8"));

  const write = defineTool("write")
    .describe("Write a text file")
    .input(v.object({ path, text: v.string() }))
    .output(v.picklist(["written", "kept"]))
    .annotate({ destructiveHint: true, idempotentHint: true })
    .handle(async ({ path, text }, ctx) => {
      const file = await locate(root, path);
      const old = await stat(file).catch(() => undefined);
      if (old !== undefined) {
        const answer = await ctx.elicit("replace", {
          message: `Replace ${path} (${old.size} bytes)?`,
          schema: v.object({ replace: v.boolean() }),
        });
        if (answer.action !== "accept" || !answer.content.replace) return "kept";
      }
      await writeFile(file, text);
      return "written";
    });

  const file = defineResource("files:///{+path}")
    .title("Files")
    .mimeType("text/plain")
    .complete({ path: async (start) => (await list(root)).filter((path) => path.startsWith(start)) })
    .list(async () => (await list(root)).map((path) => ({ variables: { path }, name: path })))
    .read(async ({ path }) => await readFile(await locate(root, path), "utf8"));

  return createServer({
    name: "files",
    version: "1.0.0",
    tools: [search, read, write],
    resources: [file],
    wires: [mcp()],
  });
}

/** The paths of all text files. Links are not followed. */
async function list(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && TEXT.test(entry.name));
  return files.map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/")).sort();
}

/** The file of a path. Refuses what is outside of the folder, also by `..` or by a link. The file itself may be missing. */
async function locate(root: string, path: string): Promise<string> {
  const wanted = resolve(root, path);
  const exact = await realpath(wanted).catch(async () => {
    const parent = await realpath(dirname(wanted)).catch(() => root + ".missing");
    return join(parent, basename(wanted));
  });
  if (!exact.startsWith(root + sep)) throw new Failure("outside", `${path} is not in this folder`);
  if (!TEXT.test(exact)) throw new Failure("not_text", `${path} is not a text file`);
  return exact;
}

if (import.meta.main) await serveStdio(await createFiles(process.argv[2] ?? "."));
