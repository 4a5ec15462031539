/** Files and text over REST: as they are if `Accept` names their media type, otherwise as JSON. */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { content } from "../../../src/entries/mcp.ts";
import { rest } from "../../../src/entries/rest.ts";
import * as v from "../../../src/entries/schema.ts";
import { streamOf } from "../../stream_of.ts";
import { KeptLog } from "../../core/dispatch/harness.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255]);
const PDF = new TextEncoder().encode("%PDF-1.7 text");
const CSV = "id,name\n1,Adä\n";
const EVIL = "text/html\r\nset-cookie: a=1";

const define = (name: string) => defineTool(name).describe("A file").annotate({ readOnlyHint: true });
/** Pieces that a test lets a handler yield. */
let gate = Promise.withResolvers<void>();
const tools = [
  define("picture").handle(() => content.file(PNG, { name: "dot.png" })),
  define("bytes").handle(() => PNG),
  define("long").handle(() => content.file(PDF, { name: `${"n".repeat(100_000)}.pdf` })),
  define("split").handle(() => content.file(PDF, { name: `${"n".repeat(195)}${"\u{1F600}".repeat(9)}.pdf` })),
  define("list").handle(
    () => [content.text("A dot:"), content.image(PNG, "image/png"), content.file(PDF, { name: "a.pdf" })],
  ),
  define("result").handle(() => ({ content: [content.image(PNG, "image/png")] })),
  define("pdf").handle(() => new File([PDF], 'x "ü".pdf', { type: "application/pdf" })),
  define("csv").handle(() => content.file(CSV, { type: "text/csv", name: "rows.csv" })),
  define("page").handle(() => content.file("<script>alert(1)</script>", { type: "text/html" })),
  define("evil").handle(() => content.file(PNG, { type: EVIL, name: "a\r\nb" })),
  define("text").handle(() => CSV),
  define("number").handle(() => 1),
  define("failing").handle(() => {
    throw new Error("secret");
  }),
  define("rows").handle(async function* () {
    yield "id,name\n";
    await gate.promise;
    yield "1,Adä\n";
  }),
  define("download").handle(() => streamOf(PDF.slice(0, 5), PDF.slice(5))),
  define("broken").handle(async function* () {
    yield "id\n";
    await gate.promise;
    throw new Error("secret");
  }),
  define("mixed").handle(async function* () {
    yield "id\n";
    yield { id: 1 } as unknown as string;
  }),
  define("objects").handle(async function* () {
    yield { id: 1 };
    yield { id: 2 };
  }),
  define("promised").promise().handle(() => content.file(PNG, {})),
] as const;

const log = new KeptLog();
const server = createServer({ tools, wires: [rest()], logger: log });

function get(tool: string, accept?: string, init: RequestInit = {}) {
  const headers: HeadersInit = accept === undefined ? {} : { accept };
  return server.fetch(
    new Request(`http://localhost/rest/tools/${tool}`, { ...init, headers: { ...headers, ...init.headers } }),
  );
}

async function seen(tool: string, accept?: string) {
  const response = await get(tool, accept);
  return [response.status, response.headers.get("content-type"), new Uint8Array(await response.arrayBuffer())];
}

test("a file is its bytes if Accept names its media type", async () => {
  for (const accept of ["image/png", "IMAGE/PNG;q=0.5", "image/*", "image/avif,image/webp,image/*,*/*;q=0.8"]) {
    for (const tool of ["picture", "bytes", "list", "result"]) {
      deepStrictEqual(await seen(tool, accept), [200, "image/png", PNG], `${tool} ${accept}`);
    }
  }
  deepStrictEqual(await seen("pdf", "application/pdf"), [200, "application/pdf", PDF]);
  deepStrictEqual(await seen("list", "application/pdf"), [200, "application/pdf", PDF]);
  deepStrictEqual(await seen("csv", "text/csv"), [200, "text/csv; charset=utf-8", new TextEncoder().encode(CSV)]);
});

test("without Accept, with */*, or where JSON comes first or has a higher quality, a file is JSON", async () => {
  const others = [
    undefined,
    "*/*",
    "application/json",
    "application/json, image/png",
    "image/png;q=0.5, application/json",
    "image/png;q=0",
    "image/gif",
    "text/html, */*",
  ];
  for (const accept of others) {
    const response = await get("picture", accept);
    strictEqual(response.headers.get("content-type"), "application/json", `${accept}`);
    strictEqual((await response.json()).type, "image");
  }
  strictEqual((await get("picture", "image/png, application/json")).headers.get("content-type"), "image/png");
});

test("a file has its name, is not cached, and runs nothing in a browser", async () => {
  const picture = await get("picture", "image/png");
  strictEqual(picture.headers.get("content-disposition"), "inline; filename*=UTF-8''dot.png");
  strictEqual(picture.headers.get("cache-control"), "no-store");
  strictEqual(picture.headers.get("x-content-type-options"), "nosniff");
  match(picture.headers.get("content-security-policy") ?? "", /sandbox/);
  const pdf = await get("pdf", "application/pdf");
  strictEqual(pdf.headers.get("content-disposition"), "inline; filename*=UTF-8''x%20%22%C3%BC%22.pdf");
  const page = await get("page", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
  match(page.headers.get("content-disposition") ?? "", /^attachment/);
  match(page.headers.get("content-security-policy") ?? "", /default-src 'none'; sandbox/);
});

test("a long name is cut to 200 characters before its extension, and never within a character", async () => {
  const long = await get("long", "application/pdf");
  strictEqual(long.headers.get("content-disposition"), `inline; filename*=UTF-8''${"n".repeat(196)}.pdf`);
  const split = await get("split", "application/pdf");
  strictEqual(split.headers.get("content-disposition"), `inline; filename*=UTF-8''${"n".repeat(195)}.pdf`);
});

test("a media type or a name that is not one reaches no header", async () => {
  for (const accept of ["text/html", "text/*", "text/html\tset-cookie: a=1"]) {
    const response = await get("evil", accept);
    strictEqual(response.headers.get("content-type"), "application/json");
    strictEqual(response.headers.get("set-cookie"), null);
  }
});

test("text is sent as it is for text/plain and text/csv, never as a page", async () => {
  deepStrictEqual(await seen("text", "text/csv"), [200, "text/csv; charset=utf-8", new TextEncoder().encode(CSV)]);
  strictEqual((await get("text", "text/plain")).headers.get("content-type"), "text/plain; charset=utf-8");
  for (const accept of ["text/html", "application/xml", "application/json, text/plain, */*"]) {
    const response = await get("text", accept);
    strictEqual(response.headers.get("content-type"), "application/json", `${accept}`);
    strictEqual(await response.json(), CSV);
  }
  strictEqual(await (await get("number", "text/plain")).text(), "1");
});

test("text and bytes are streamed as they come", async () => {
  gate = Promise.withResolvers();
  const response = await get("rows", "text/csv");
  strictEqual(response.headers.get("content-type"), "text/csv; charset=utf-8");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  strictEqual((await reader.read()).value, "id,name\n");
  gate.resolve();
  strictEqual((await reader.read()).value, "1,Adä\n");
  strictEqual((await reader.read()).done, true);
  deepStrictEqual(await seen("download", "application/pdf"), [200, "application/pdf", PDF]);
  strictEqual((await get("rows")).headers.get("content-type"), "application/json");
});

test("a stream that fails is cut off, not ended; what failed is in the log", async () => {
  for (const tool of ["broken", "mixed"]) {
    gate = Promise.withResolvers();
    const response = await get(tool, "text/csv");
    strictEqual(response.status, 200);
    gate.resolve();
    await rejects(response.text());
    strictEqual(log.lines.length > 0, true);
    log.lines.length = 0;
  }
  const failed = await get("failing", "text/csv");
  strictEqual(failed.status, 500);
  strictEqual(failed.headers.get("content-type"), "application/problem+json");
});

test("pieces that are neither text nor bytes are JSON", async () => {
  const response = await get("objects", "text/csv");
  strictEqual(response.headers.get("content-type"), "application/json");
  deepStrictEqual(await response.json(), [{ id: 1 }, { id: 2 }]);
});

test("a reader that cancels a stream aborts its handler", async () => {
  const aborted = Promise.withResolvers<void>();
  const endless = define("endless").handle(async function* (_, ctx) {
    ctx.signal.addEventListener("abort", () => aborted.resolve());
    while (!ctx.signal.aborted) yield "row\n".repeat(10_000);
  });
  const own = createServer({ tools: [endless], wires: [rest()], limits: { answerChars: 100_000 } });
  const headers = { accept: "text/csv" };
  const { body } = await own.fetch(new Request("http://localhost/rest/tools/endless", { headers }));
  const reader = body!.getReader();
  for (let read = 0; read < 1_000_000;) read += (await reader.read()).value!.length;
  await reader.cancel();
  await aborted.promise;
});

test("HEAD has the headers of a file; a promise gives the bytes at its Location", async () => {
  const head = await get("picture", "image/png", { method: "HEAD" });
  deepStrictEqual([head.headers.get("content-type"), await head.text()], ["image/png", ""]);
  const promised = await get("promised", "image/png", { headers: { prefer: "respond-async" } });
  strictEqual(promised.status, 202);
  const headers = { accept: "image/png", prefer: "wait=10" };
  const redeemed = await server.fetch(new Request(`http://localhost${promised.headers.get("location")}`, { headers }));
  deepStrictEqual(new Uint8Array(await redeemed.arrayBuffer()), PNG);
});

test("the OpenAPI document has files and text beside JSON", async () => {
  const typed = define("typed").output(v.object({ a: v.number() })).handle(() => ({ a: 1 }));
  const lines = define("lines").output(v.string()).handle(() => "a");
  const own = createServer({ tools: [tools[0], typed, lines], wires: [rest()] });
  const { paths } = await (await own.fetch(new Request("http://localhost/rest/openapi.json"))).json();
  const typesOf = (tool: string) => Object.keys(paths[`/rest/tools/${tool}`].get.responses[200].content);
  deepStrictEqual(typesOf("picture"), ["application/json", "*/*"]);
  deepStrictEqual(typesOf("typed"), ["application/json"]);
  deepStrictEqual(typesOf("lines"), ["application/json", "text/plain", "text/csv"]);
});
