import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findExamples } from "./extract.ts";
import { checkShown } from "./shown.ts";
// @ts-expect-error: a script without types
import * as values from "./shown_values.mjs";

const { endPrinted, keepPrinted, render, shown } = values as {
  readonly shown: (value: unknown, place: string, text: string, isPrinted: boolean) => unknown;
  readonly keepPrinted: (value: unknown) => unknown;
  readonly endPrinted: (place: string, texts: readonly string[]) => void;
  readonly render: (value: unknown) => string;
};

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs code whose outputs are compared. */
async function run(...lines: string[]): Promise<void> {
  const code = checkShown(lines.join("\n"), "page.md:1");
  strictEqual(code.split("\n").length, lines.length);
  const body = `return (async () => {\n${code}\n})();`;
  await new Function("__shown", "__printed", "__endPrinted", "console", body)(shown, keepPrinted, endPrinted, {
    log: () => {},
  });
}

async function fails(pattern: RegExp, ...lines: string[]): Promise<void> {
  const thrown: unknown = await run(...lines).then(() => undefined, (error: unknown) => error);
  ok(thrown instanceof Error && pattern.test(thrown.message), `${lines.join("\n")}\n${String(thrown)}`);
}

test("an output is compared with the value of an expression, a constant, or what is printed", async () => {
  await run(
    "const list = [1, 'a']; // → [1, \"a\"]",
    "list.length; // → 2",
    "console.log('a' + 1); // → a1",
    "console.log({ a: { 'b-c': null } });",
    '// → { a: { "b-c": null } }',
    "await Promise.resolve('x'); // → \"x\"",
    "({ a: [1, 2], b: 'long' });",
    "// → {",
    "//     a: [1, 2],",
    '//     b: "long",',
    "//   }",
    "for (const value of list) console.log(value);",
    "// → 1",
    "// → a",
    '`prom_${Math.random()}`; // → "prom_…"',
    "// A comment that shows nothing",
  );
});

test("a value that differs from its output is named with both", async () => {
  await fails(/^page\.md:1 shows → \[1\]\n {2}but the value is → \[1, "a"\]$/, "const list = [1, 'a']; // → [1]");
  await fails(/value is → 3/, "1 + 2; // → 4");
  await fails(/value is → "a"/, "['a'][0]; // → a");
  await fails(/value is → a promise: await it/, "Promise.resolve(1); // → 1");
  await fails(/value is → 1\n2/, "for (const value of [1, 2]) console.log(value);", "// → 1");
  await fails(/value is → "other_1"/, "['other_1'][0]; // → \"prom_…\"");
});

test("an output without a value, and one that matches any, is refused", () => {
  throws(() => checkShown("// → 1", "page.md:1"), /page\.md:1: "\/\/ → 1" does not follow a statement/);
  throws(() => checkShown("const { a } = { a: 1 }; // → 1", "page.md:1"), /follows a statement without a value/);
  throws(() => checkShown("1; // → …", "page.md:1"), /would match any value/);
});

test("render() writes what is not JSON, too", () => {
  const cases: readonly [unknown, string][] = [
    [undefined, "undefined"],
    [10n, "10n"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new TypeError("planned"), "TypeError: planned"],
    [{}, "{}"],
    [[], "[]"],
  ];
  deepStrictEqual(cases.map(([value]) => render(value)), cases.map(([, text]) => text));
});

test("only programs that run show outputs: no test compares those of others", () => {
  const examples = findExamples(root);
  const unchecked = examples.filter(({ kind, code }) => kind !== "run" && code.includes("// →"));
  deepStrictEqual(unchecked.map(({ place }) => place), []);
  for (const { kind, code, place } of examples) if (kind === "run") checkShown(code, place);
});

/** Pages with examples of tests, which compare by `node:assert`. Do not add others: show outputs. */
const ASSERTING = ["docs/testing.md", "docs/tutorials/support-desk.md"];

test("examples of pages show their outputs instead of comparing, but for examples of tests", () => {
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((file) => `docs/${file}`);
  const found = ["README.md", "apps/site/pages/index.md", ...pages.filter((file) => file.endsWith(".md"))].filter((
    file,
  ) => /^import .* from "node:assert/m.test(readFileSync(join(root, file), "utf8")));
  deepStrictEqual(found.toSorted(), ASSERTING);
});
