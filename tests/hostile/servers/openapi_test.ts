/** Documents and arguments that name addresses outside of the base URL, where its credentials must not be sent. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { testClient } from "../../../src/entries/testing.ts";

const BASE = "https://api.example/v1/tenants/7";

function importPath(path: string, names: readonly string[] = []) {
  const asked: string[] = [];
  const parameters = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const tools = toolsFromOpenApi({
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    paths: { [path]: { get: { operationId: "read", parameters } } },
  }, {
    baseUrl: BASE,
    headers: { authorization: "Bearer of secrets" },
    fetch: (url) => {
      asked.push(new URL(url).href);
      return Promise.resolve(Response.json("secret"));
    },
  });
  const client = testClient(createServer({ tools }), { retry: { attempts: 0 } });
  return { asked, read: (args: Readonly<Record<string, unknown>> = {}) => client.$.call("read", args) };
}

const LEAVING = [
  "/../../admin",
  "/..",
  "/.",
  "/a/../../../admin",
  "/%2e%2e/admin",
  "/%2E./admin",
  "/.%2e/admin",
  "/%252e%252e/admin",
  "/..\\..\\admin",
  "/\\..\\admin",
  "/..%2f..%2fadmin",
  "/..%5Cadmin",
  "/.\t./admin",
  "/\r\n../admin",
  "/..;/admin",
  "/..?a",
  "/..#a",
];

test("a document with a path that leaves the base URL is refused when it is imported", () => {
  for (const path of LEAVING) {
    throws(() => importPath(path), /GET .*: its path contains a "\." or "\.\." segment/s, JSON.stringify(path));
  }
});

test("a path that has dots in its names, but no dot segment, is imported", async () => {
  for (const path of ["/a..b", "/...", "/.well-known/x", "/a.", "/v1..2/x", "/%2e%2e%2e"]) {
    const { asked, read } = importPath(path);
    strictEqual(await read(), "secret", path);
    ok(asked.every((url) => url.startsWith(`${BASE}/`)), asked.join());
  }
});

test("a value that makes a path leave the base URL is refused before it is sent", async () => {
  const values = [
    "..",
    ".",
    "%2e%2e",
    "../../admin",
    "..\\..\\admin",
    "a/../../admin",
    "%2e%2e%2fadmin",
    "..%2f",
    "..;",
    "",
  ];
  for (const id of values) {
    const { asked, read } = importPath("/{id}/files", ["id"]);
    await rejects(read({ id }), { code: "invalid_input", message: /"id"/ }, JSON.stringify(id));
    deepStrictEqual(asked, []);
  }
});

test("values that make a dot segment only together are refused, too", async () => {
  for (
    const [path, args] of [["/{a}{b}", { a: ".", b: "." }], ["/.{a}/x", { a: "." }], ["/.{a}/x", { a: "" }]] as const
  ) {
    const { asked, read } = importPath(path, Object.keys(args));
    await rejects(read(args), { code: "invalid_input", message: /"a"/ }, path);
    deepStrictEqual(asked, []);
  }
});

test("a value with slashes or dots stays one segment", async () => {
  for (const id of ["a/b", "a..b", "...", "v1.2", "a.", ".hidden", "100%", "%zz"]) {
    const { asked, read } = importPath("/{id}/files", ["id"]);
    strictEqual(await read({ id }), "secret");
    const [url = ""] = asked;
    ok(url.startsWith(`${BASE}/`) && url.endsWith("/files"), url);
    strictEqual(new URL(url).pathname.split("/").length, 6);
  }
});
