/** GET of a read-only tool: parameters become arguments by the schema, and what does not fit is refused by name. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { ask, createLibrary } from "./library.ts";

const { server } = createLibrary();
const get = async (tool: string, query: string) => await ask(server, "GET", `/rest/tools/${tool}?${query}`);

const CONVERTED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "text=a%20b+c": { text: "a b c" },
  "text=5": { text: "5" },
  "text=": { text: "" },
  "text=%7B%22a%22%3A1%7D": { text: '{"a":1}' },
  "text=a&limit=5": { text: "a", limit: 5 },
  "text=a&exact=true": { text: "a", exact: true },
  "text=a&exact=false": { text: "a", exact: false },
  "text=a&tags=x": { text: "a", tags: ["x"] },
  "text=a&tags=x&tags=y": { text: "a", tags: ["x", "y"] },
  "text=a&tags=%5B1%5D": { text: "a", tags: ["[1]"] },
  "text=a&years=1999&years=2e3": { text: "a", years: [1999, 2000] },
  "text=a&filter=%7B%22author%22%3A%22x%22%7D": { text: "a", filter: { author: "x" } },
  "text=a&id=7": { text: "a", id: 7 },
  "text=a&id=seven": { text: "a", id: "seven" },
  "text=a&until=null": { text: "a", until: null },
  "text=a&until=-1.5": { text: "a", until: -1.5 },
  "text=a&order=year": { text: "a", order: "year" },
  "text=a&&": { text: "a" },
  "text=a&limit=3#fragment": { text: "a", limit: 3 },
  "text=a&utm_source=mail&__proto__=5": { text: "a" },
};

for (const [query, found] of Object.entries(CONVERTED)) {
  test(`${query} is ${JSON.stringify(found)}`, async () => {
    const { status, json, text } = await get("find", query);
    strictEqual(status, 200, text);
    deepStrictEqual(json, { found });
  });
}

const REFUSED: Readonly<Record<string, readonly [name: string, detail: string]>> = {
  "text=a&limit=five": ["limit", 'Invalid arguments at "limit": Expected number but received "five"'],
  "text=a&limit=0x10": ["limit", 'Invalid arguments at "limit": Expected number but received "0x10"'],
  "text=a&limit=": ["limit", 'Invalid arguments at "limit": Expected number but received ""'],
  "text=a&limit=1e999": ["limit", 'Invalid arguments at "limit": Expected number but received "1e999"'],
  "text=a&limit=1&limit=2": ["limit", 'Invalid arguments at "limit": Expected number but received 2 values'],
  "text=a&exact=yes": ["exact", 'Invalid arguments at "exact": Expected true or false but received "yes"'],
  "text=a&text=b": ["text", 'Invalid arguments at "text": Expected string but received 2 values'],
  "text=a&filter=x": ["filter", 'Invalid arguments at "filter": Expected an object as JSON but received "x"'],
  "text=a&filter=%7B": ["filter", 'Invalid arguments at "filter": Expected an object as JSON but received "{"'],
  "text=a&years=1&years=x": [
    "years",
    'Invalid arguments at "years": Expected an array, by one parameter for each item but received 2 values',
  ],
  "text=a&limt=5": ["limt", 'Invalid arguments at "limt": unknown property; did you mean "limit"?'],
};

for (const [query, [name, detail]] of Object.entries(REFUSED)) {
  test(`${query} is refused by name`, async () => {
    const { status, json } = await get("find", query);
    deepStrictEqual([status, json.code, json.detail], [400, "invalid_input", detail]);
    deepStrictEqual(json.data.issues[0].path, [name]);
  });
}

test("the tool's own validation follows", async () => {
  const { status, json } = await get("find", "text=a&limit=1.5");
  deepStrictEqual([status, json.data.issues[0].path], [400, ["limit"]]);
  strictEqual((await get("find", "")).json.data.issues[0].path[0], "text");
});

test("without a schema, text becomes the JSON that it is, and repeated names become arrays", async () => {
  const { json } = await get("anything", "a=1&b=true&c=null&d=x&e=%5B1%5D&f=1&f=x&kind=error&message=m");
  deepStrictEqual(json, { a: 1, b: true, c: "null", d: "x", e: [1], f: [1, "x"], kind: "error", message: "m" });
  const own = await get("anything", "__proto__=1&constructor=2");
  strictEqual(own.text, '{"__proto__":1,"constructor":2}');
});

test("what is not percent-encoded UTF-8 is a parse_error", async () => {
  for (const query of ["text=%", "text=%zz", "text=%ff", "%80=1"]) {
    const { status, json } = await get("find", query);
    deepStrictEqual([status, json.code], [400, "parse_error"], query);
  }
});

test("JSON in a query may not nest deeper than the limit", async () => {
  const { status } = await get("anything", `a=${"[".repeat(600)}${"]".repeat(600)}`);
  strictEqual(status, 200);
  const deep = await get("find", `text=a&filter=${'{"author":'.repeat(600)}1${"}".repeat(600)}`);
  strictEqual(deep.json.data.issues[0].path[0], "filter");
});
