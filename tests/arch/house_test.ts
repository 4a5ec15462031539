/** `scripts/house.mjs` counts what it states, and finds names that two files declare. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as house from "../../scripts/house.mjs";

interface Source {
  readonly path: string;
  readonly text: string;
}
const { findSharedNames, measure, readSources, roomOf } = house as {
  readonly findSharedNames: (sources: readonly Source[]) => readonly string[];
  readonly measure: (sources: readonly Source[]) => unknown;
  readonly readSources: () => readonly Source[];
  readonly roomOf: (path: string) => string;
};

/** Sources by path. */
function sources(texts: Readonly<Record<string, string>>): Source[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

test("no two files declare the same exported name, but for the wires", () => {
  deepStrictEqual(findSharedNames(readSources()), []);
});

test("findSharedNames() finds a name that two files declare, whatever declares it", () => {
  const planted = sources({
    "src/a.ts":
      "export function one() {}\nexport const { two, x: three } = f();\ninterface Four {}\nexport type { Four };",
    "src/b.ts":
      "export const one = 1;\n\nexport class two {}\nexport type three = 1;\nexport interface Four {}\nconst five = 5;",
    "src/c.ts": "export enum five {}\nfunction g(): void;\nfunction g() {}\nexport { g as one };",
  });
  deepStrictEqual(findSharedNames(planted), [
    "Four: src/a.ts:4, src/b.ts:5",
    "one: src/a.ts:1, src/b.ts:1, src/c.ts:4",
    "three: src/a.ts:2, src/b.ts:4",
    "two: src/a.ts:2, src/b.ts:3",
  ]);
});

test("findSharedNames() ignores re-exports, overloads, and a type beside its value", () => {
  const clean = sources({
    "src/a.ts":
      "export function one(x: 1): void;\nexport function one(x: 2): void;\nexport function one() {}\nexport type one = 1;",
    "src/mod.ts": 'export { one } from "./a.ts";\nexport * from "./a.ts";',
    "src/other.ts": 'import { one } from "./a.ts";\nexport { one };',
  });
  deepStrictEqual(findSharedNames(clean), []);
});

test("findSharedNames() excepts sibling wires, but not one wire or a file beside the wires", () => {
  const text = "export const encode = 1;";
  const siblings = sources({ "src/wires/one/encode.ts": text, "src/wires/two/client/encode.ts": text });
  deepStrictEqual(findSharedNames(siblings), []);
  for (const path of ["src/wires/one/more.ts", "src/wires/wire.ts", "src/core/encode.ts"]) {
    deepStrictEqual(findSharedNames([...siblings, { path, text }]).length, 1, path);
  }
});

test("lines of code, lines of comment and names are counted apart", () => {
  const text =
    "/** One. */\n// Two.\nexport const a = 1; // Not a line of comment alone.\n\nconst b = `\n//\n`;\n/*\n\n*/\n";
  deepStrictEqual(measure(sources({ "src/a.ts": text, "src/b.ts": "export { a } from './a.ts';\n" })), {
    files: 2,
    code: 5,
    comment: 4,
    names: 1,
  });
});

test("a room is a folder of the source; the large rooms are divided", () => {
  deepStrictEqual(["src/core/call/a.ts", "src/wires/wire.ts", "src/client/deep/a.ts", "apps/cli/main.ts"].map(roomOf), [
    "src/core/call",
    "src/wires",
    "src/client",
    "apps/cli",
  ]);
});
