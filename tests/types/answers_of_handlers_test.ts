/** Types that clients see for what handlers return: files for bytes, the joined pieces of a stream, and anything else as it is. */
import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { streamOf } from "../stream_of.ts";
import { createServer, defineTool } from "../../mod.ts";
import { content, type FileBlock } from "../../src/entries/mcp.ts";
import { testClient } from "../../src/entries/testing.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

interface Row {
  readonly id: number;
  readonly at: readonly string[];
}

const bytes = new Uint8Array([1]);
const tools = [
  defineTool("bytes").describe("B").handle(() => bytes),
  defineTool("blob").describe("B").handle(() => Promise.resolve(new Blob([bytes]))),
  defineTool("member").describe("M").handle(() => ({ title: "a", png: bytes })),
  defineTool("items").describe("I").handle(() => [bytes]),
  defineTool("row").describe("R").handle((): Row => ({ id: 1, at: [] })),
  defineTool("text").describe("T").handle(() => streamOf("a", "b")),
  defineTool("stream").describe("S").handle(() => streamOf(bytes)),
  defineTool("rows").describe("R").handle(async function* () {
    yield { id: 1 };
  }),
] as const;

test("files, streams and rows have the types that are received", async () => {
  const client = testClient(createServer({ tools, logger: false }));
  const file = await client.bytes({});
  const blob = await client.blob({});
  const member = await client.member({});
  const items = await client.items({});
  const row = await client.row({});
  const text = await client.text({});
  const stream = await client.stream({});
  const rows = await client.rows({});
  const same: [
    Same<typeof file, FileBlock>,
    Same<typeof blob, FileBlock>,
    Same<typeof member, { title: string; png: FileBlock }>,
    Same<typeof items, FileBlock[]>,
    Same<typeof row, Row>,
    Same<typeof text, string>,
    Same<typeof stream, FileBlock>,
    Same<typeof rows, { id: number }[]>,
  ] = [true, true, true, true, true, true, true, true];
  strictEqual(same.every((one) => one), true);
  strictEqual(text, "ab");
  strictEqual(content.readFile(member.png)?.bytes.length, 1);
});
