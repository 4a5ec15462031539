/** `toolwire call -o file`: pictures, files and text of an answer; and `-H` for headers. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createServer, defineTool, mcp, mcpLite } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

const PNG = "iVBORw0KGgo=";
const picture = { type: "image", data: PNG, mimeType: "image/png" };
const pdf = { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "JVBERg==" } };
const returning = (name: string, value: unknown) => defineTool(name).describe(name).handle(() => value as object);

test("call -o writes pictures and files, prints the rest, and writes text where the answer has no file", async () => {
  await using folder = await temporaryFolder();
  const tools = [
    returning("chart", [{ type: "text", text: "A chart" }, picture]),
    returning("both", [picture, pdf]),
    returning("table", { rows: [1] }),
    defineTool("header").describe("Header").handle((_, { metadata }) => String(metadata.get("x-team"))),
  ];
  const listening = await serve(createServer({ tools, wires: [mcp(), mcpLite()], logger: false }), { port: 0 });
  const { origin } = new URL(listening.url);
  const call = (...words: readonly string[]) => runHere({ cwd: folder.path }, "call", ...words);
  const read = (name: string) => readFileSync(join(folder.path, name)).toString("base64");
  for (const url of [`${origin}/mcp`, `${origin}/mcp-lite/v1`]) {
    const chart = await call(url, "chart", "-o", "chart.png");
    deepStrictEqual([chart.code, chart.out, read("chart.png")], [0, "A chart\n", PNG], chart.errors);
    match(chart.errors, /Written to chart\.png: image\/png, 8 bytes\n$|^$/);
    const both = await call(url, "both", "--out", "out.bin");
    deepStrictEqual([both.code, both.out, read("out.bin"), read("out-2.bin")], [0, "", PNG, "JVBERg=="], both.errors);
    const table = await call(url, "table", "-o", "table.json");
    deepStrictEqual([table.out, JSON.parse(readFileSync(join(folder.path, "table.json"), "utf8"))], ["", {
      rows: [1],
    }]);
    for (const flag of [["-H", "x-team: blue"], ["-Hx-team: blue"], ["--header", "x-team: blue"]]) {
      strictEqual((await call(url, "header", ...flag)).out, "blue\n");
    }
  }
  deepStrictEqual(readdirSync(folder.path).sort(), ["chart.png", "out-2.bin", "out.bin", "table.json"]);
  await listening.close();
});
