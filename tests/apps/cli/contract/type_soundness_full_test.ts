/** Values that the validator accepts fit the types that are written, by the compiler. */
import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { compileCheck } from "../../../../src/core/json_schema/check.ts";
import { declareTypes } from "../../../../apps/cli/contract/type_writer.ts";
import { TypeNames } from "../../../../apps/cli/contract/type_names.ts";
import { findProgram, testWith } from "../../../serve/programs.ts";
import { compileFiles } from "./compile.ts";
import { documents, valueNear } from "./random_schemas.ts";

const SEED = 19;
const SCHEMAS = 700;
const VALUES = 24;

/**
 * A member that all objects share. Without one the compiler refuses a value that has no member of a type whose members are all
 * optional, although its shape fits.
 */
const SHARED = '"~"?: any;';

/** Type of exactly one JSON value, written without the code under test. */
function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(typeOfValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${typeOfValue(part)};`);
  return members.length === 0 ? "{}" : `{ ${SHARED} ${members.join(" ")} }`;
}

/** The values near a schema that it accepts. None if its references are circular: the validator then overflows the stack. */
function acceptedValues(schema: Readonly<Record<string, unknown>>, random: () => number): unknown[] {
  const check = compileCheck(schema);
  try {
    return Array.from({ length: VALUES }, () => valueNear(schema, schema, random)).filter((value) => {
      return check(value).length === 0;
    });
  } catch {
    return [];
  }
}

testWith("every value that the validator accepts fits the written type", [findProgram("tsc")], async (tsc) => {
  let state = SEED;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const names = new TypeNames();
  const lines: string[] = [];
  let accepted = 0;
  for (const [index, schema] of fc.sample(documents, { numRuns: SCHEMAS, seed: SEED }).entries()) {
    const values = new Set(acceptedValues(schema, random).map(typeOfValue));
    for (const use of ["input", "output"] as const) {
      const name = names.add("t", String(index), use);
      lines.push(`// ${JSON.stringify(schema)}`, ...declareTypes({ schema, root: schema, name, use }, names));
      for (const value of values) {
        accepted++;
        lines.push(`{ type V = ${value}; const value = null as unknown as V; const fits: ${name} = value; }`);
      }
    }
  }
  ok(accepted > 3_000, `only ${accepted} values were accepted`);
  const text = lines.join("\n").replaceAll("export type", "type").replaceAll("{\n", `{\n${SHARED}\n`);
  const errors = await compileFiles(tsc, { "values.ts": `${text}\nexport {};\n` });
  const source = text.split("\n");
  deepStrictEqual(errors.map(({ line, text }) => `${source[line - 1]}\n${text}`).slice(0, 3), []);
}, 240_000);
