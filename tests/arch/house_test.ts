/** The measures of `scripts/house.mjs` find what they are for, on small sources. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as house from "../../scripts/house.mjs";

interface Source {
  readonly path: string;
  readonly text: string;
}
interface Measure {
  readonly name: string;
  readonly limit: number;
  readonly measure: (sources: readonly Source[]) => { readonly figure: number; readonly offenders: readonly string[] };
}
const { MEASURES, findCycles, findSharedNames, functionsOf, findAny } = house as {
  readonly MEASURES: readonly Measure[];
  readonly findCycles: (sources: readonly Source[]) => readonly string[];
  readonly findSharedNames: (sources: readonly Source[]) => readonly string[];
  readonly functionsOf: (source: Source) => readonly { readonly name: string; readonly lines: number }[];
  readonly findAny: (sources: readonly Source[]) => readonly string[];
};

/** Sources by path. */
function sources(texts: Readonly<Record<string, string>>): Source[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

function figureOf(name: string, given: readonly Source[]): number | undefined {
  return MEASURES.find((measure) => measure.name === name)?.measure(given).figure;
}

for (
  const [name, back] of [
    ["an import", 'import { a } from "./a.ts";'],
    ["an import type", 'import type { A } from "./a.ts";'],
    ["an import of a type alone", 'import { type A } from "./a.ts";'],
    ["a re-export", 'export * from "./a.ts";'],
    ["a dynamic import", 'const a = await import("./a.ts");'],
    ["a type of import()", 'export type B = import("./a.ts").A;'],
  ] as const
) {
  test(`findCycles() finds a cycle that is closed by ${name}`, () => {
    const planted = sources({
      "src/a.ts": 'import type { B } from "./sub/b.ts";',
      "src/sub/b.ts": 'import type { C } from "../c.ts";',
      "src/c.ts": `// A comment\n${back}`,
      "src/d.ts": 'import type { A } from "./a.ts";',
    });
    deepStrictEqual(findCycles(planted), [
      [
        "3 files: src/a.ts, src/c.ts, src/sub/b.ts",
        "  src/a.ts:1 imports src/sub/b.ts",
        "  src/c.ts:2 imports src/a.ts",
        "  src/sub/b.ts:1 imports src/c.ts",
      ].join("\n"),
    ]);
  });
}

test("findCycles() ignores packages, comments, strings and a shared dependency", () => {
  const clean = sources({
    "src/a.ts": 'import "./b.ts";\nimport "./c.ts";\nimport "node:fs";',
    "src/b.ts": 'import "./c.ts";\n// import "./a.ts";\nexport const text = \'import "./a.ts"\';',
    "src/c.ts": "export {};",
  });
  deepStrictEqual(findCycles(clean), []);
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

test("functionsOf() measures every kind of function, from its first line to its last", () => {
  const text = `/**
 * A comment.
 */
export function declared(): void {
  return;
}
declare function typed(): void;
class Kind {
  constructor() {
  }
  get accessor(): number {
    return 1;

  }
  #hidden(): void {}
  static { void 0; }
}
export const arrow = async () => {
  await 1;
};
const short = () =>
  1;
const object = { method() {
} };
`;
  deepStrictEqual(functionsOf({ path: "src/a.ts", text }).map(({ name, lines }) => `${name} ${lines}`), [
    "declared 3",
    "constructor 2",
    "accessor 4",
    "hidden 1",
    "arrow 3",
    "method 2",
  ]);
});

test("a function of 61 lines is over the limit, one of 60 is not", () => {
  const functionOf = (lines: number) => `function f() {${"\n".repeat(lines - 1)}}`;
  deepStrictEqual(figureOf("functions", sources({ "src/a.ts": functionOf(60), "src/b.ts": functionOf(61) })), 1);
});

test("the 95th percentile is exceeded by at most one function in twenty", () => {
  const functionsBy = (long: number) =>
    sources({ "src/a.ts": "function f() {}\n".repeat(20 - long) + "function f() {\n\n\n}\n".repeat(long) });
  deepStrictEqual([figureOf("p95", functionsBy(1)), figureOf("p95", functionsBy(2))], [1, 4]);
  deepStrictEqual(figureOf("p95", []), 0);
});

test("findAny() finds the type any, and not the word", () => {
  const planted = sources({
    "src/a.ts": "let a: any;\nlet b: Record<string, any[]>;\nf<any>();\nlet c = d as any;",
    "src/b.ts": '// any: any\nconst any = "as any";\nconst text: string = `: any`;\nexport type T = { any: 1 };\n',
  });
  deepStrictEqual(findAny(planted), ["src/a.ts:1", "src/a.ts:2", "src/a.ts:3", "src/a.ts:4"]);
});

test("folders, files, lines and small files are counted", () => {
  const given = sources({ "src/one/a.ts": "1\n2\n", "src/one/b.ts": "1\n".repeat(26), "src/mod.ts": "1\n".repeat(25) });
  deepStrictEqual(["folders", "files", "lines", "small"].map((name) => figureOf(name, given)), [2, 3, 53, 2]);
});

test("each measure has a name and a limit", () => {
  deepStrictEqual(new Set(MEASURES.map(({ name }) => name)).size, MEASURES.length);
  ok(MEASURES.every(({ limit }) => Number.isInteger(limit) || limit === Infinity));
});
