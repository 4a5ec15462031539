/**
 * An option that is `undefined` is the same as one that is left out, with `exactOptionalPropertyTypes` too: each optional member of the
 * public interfaces of options states it. Behaviour is in tests/types/left_out_test.ts.
 */
import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as house from "../../scripts/house.mjs";

const { readSources } = house as {
  readonly readSources: () => readonly { readonly path: string; readonly text: string }[];
};

const OPTIONS = /^export interface (\w+(?:Options|Checks|Policy|Source|Limits))\b(.*?)\{\n(.*?)^\}/gms;
const OPTIONAL = /^ {2}(?:readonly )?(\w+)\?(?::\s+(.*?)|\(.*?);(?=\n {2}[\w"[]|\s*$(?![^]))/gms;

/** Optional members that do not take `undefined`: `Interface.member`. A type parameter is read by its constraint. */
function refusing(text: string): readonly string[] {
  return [...text.matchAll(OPTIONS)].flatMap(([, name = "", head = "", body = ""]) =>
    [...body.replaceAll(/^ {2}\/\*\*.*?\*\/\n/gms, "").matchAll(OPTIONAL)].flatMap(([, member, type = ""]) => {
      const constraint = new RegExp(`\\b${/^\w+$/.exec(type)?.[0] ?? "-"} extends ([^=,]*)`).exec(head)?.[1] ?? "";
      return /(?:^|\| )(?:undefined|unknown)$/.test(constraint.trim() || type) ? [] : [`${name}.${member}`];
    })
  );
}

test("each optional member of public options takes undefined", () => {
  const exported = new Set(readFileSync("tests/arch/exports.txt", "utf8").match(/\b[A-Z]\w+/g));
  const sources = readSources();
  const found = sources.flatMap(({ text }) => refusing(text)).filter((place) =>
    exported.has(place.split(".")[0] ?? "")
  );
  deepStrictEqual(found, []);
});

test("a member that does not is found, also one of several lines, and a method", () => {
  const member = (type: string): string =>
    `export interface RunOptions<T extends string> {\n  /** About. */\n  readonly a?${type};\n}\n`;
  deepStrictEqual(refusing(member(": number | undefined")), []);
  deepStrictEqual(refusing(member(": unknown")), []);
  deepStrictEqual(refusing(member(": {\n    readonly b: 1;\n  } | undefined")), []);
  for (
    const type of [
      ": number",
      ": T",
      ": (x: string | undefined) => void",
      ":\n    | number\n    | string",
      "(x: string): void",
    ]
  ) {
    deepStrictEqual(refusing(member(type)), ["RunOptions.a"], type);
  }
});
