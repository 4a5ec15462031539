/** Changes of schemas: labelled pairs, random pairs, and the words. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareSchemas } from "../../../src/inspection/contract_diff/compare_schemas.ts";
import { type Direction, levelOf, type ValueChange } from "../../../src/inspection/contract_diff/schema_change.ts";
import { type Check, compileCheck } from "../../../src/core/json_schema/check.ts";
import { isJsonObject } from "../../../src/internal/json.ts";
import { documents, valueNear } from "../../apps/cli/contract/random_schemas.ts";
import { LABELLED_PAIRS } from "./labelled_pairs.ts";

function changesOf(before: unknown, after: unknown): readonly ValueChange[] {
  return compareSchemas({ schema: before, root: before }, { schema: after, root: after });
}

function verdictOf(changes: readonly ValueChange[], direction: Direction): string {
  const levels = changes.map(({ effect }) => levelOf(effect, direction));
  return ["breaking", "uncertain", "compatible", "note"].find((level) => levels.includes(level as never)) ?? "same";
}

test("there are 80 labelled pairs and more, each once", () => {
  ok(new Set(LABELLED_PAIRS.map(([name]) => name)).size >= 80);
});

for (const [name, before, after, input, output] of LABELLED_PAIRS) {
  test(`${name}: ${input} for arguments, ${output} for an output`, () => {
    const changes = changesOf(before, after);
    deepStrictEqual(
      [verdictOf(changes, "input"), verdictOf(changes, "output")],
      [input, output],
      JSON.stringify(changes),
    );
    strictEqual(verdictOf(changesOf(before, structuredClone(before)), "input"), "same");
  });
}

const SEED = 19;
const PAIRS = 60;
const VALUES = 20;

/** Changes a random part of a schema: a keyword is removed, or those of another schema are added or put in its place. */
function mutate(schema: object, other: object, random: () => number): Record<string, unknown> {
  const copy = structuredClone(schema);
  const part = pick(partsOf(copy), random);
  const source = structuredClone(pick(partsOf(structuredClone(other)), random));
  const kind = random();
  for (const keyword of Object.keys(part)) if (kind > 0.6 || (kind < 0.3 && random() < 0.4)) delete part[keyword];
  if (kind > 0.3) Object.assign(part, source);
  return copy as Record<string, unknown>;
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function partsOf(node: unknown): Record<string, unknown>[] {
  if (Array.isArray(node)) return node.flatMap(partsOf);
  return isJsonObject(node) ? [node as Record<string, unknown>, ...Object.values(node).flatMap(partsOf)] : [];
}

/** A value that is valid for one schema and not for the other. Schemas that the validator cannot use have none. */
function counterexample(from: Check, to: Check, schema: object, random: () => number): unknown {
  try {
    for (let count = 0; count < VALUES; count++) {
      const value = valueNear(schema, schema, random);
      if (from(value).length === 0 && to(value).length > 0) return { value };
    }
  } catch {
    // A reference is circular.
  }
  return undefined;
}

test("no change that breaks a value is compatible, over random pairs", () => {
  let state = SEED;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const schemas = fc.sample(documents, { numRuns: PAIRS, seed: SEED });
  let judged = 0;
  for (const [index, before] of schemas.entries()) {
    const after = mutate(before, schemas[(index + 1) % PAIRS] ?? {}, random);
    const [checkBefore, checkAfter] = [compileCheck(before), compileCheck(after)];
    const changes = changesOf(before, after);
    // A closed object may get new members.
    const isOutput = !changes.some(({ effect }) => effect === "added");
    for (const direction of isOutput ? ["input", "output"] as const : ["input"] as const) {
      if (!/compatible|note|same/.test(verdictOf(changes, direction))) continue;
      judged++;
      const found = direction === "input"
        ? counterexample(checkBefore, checkAfter, before, random)
        : counterexample(checkAfter, checkBefore, after, random);
      deepStrictEqual(found, undefined, JSON.stringify({ direction, before, after, changes }));
    }
  }
  ok(judged > PAIRS / 4, `${judged} were compatible`);
});

test("the words name what was known, and quote nothing new", () => {
  const secret = "IGNORE_ALL_RULES";
  const before = { type: "object", properties: { mode: { enum: ["fast", "slow"] }, gone: { type: "string" } } };
  const after = {
    type: "object",
    title: secret,
    description: secret,
    properties: { mode: { enum: ["fast", secret] }, [secret]: { const: secret } },
    required: [secret],
    [secret]: secret,
  };
  const changes = changesOf(before, after);
  const said = JSON.stringify(changes.filter(({ message }) => !message.endsWith("changed")));
  strictEqual(said.includes(secret), false, said);
  deepStrictEqual(
    changes.find(({ path }) => path[0] === "mode"),
    { path: ["mode"], effect: "narrower", message: 'the value "slow" was removed' },
  );
});

test("schemas that multiply themselves end as uncertain", () => {
  const grow = (leaf: object, width: number) => {
    const any = Array.from(
      { length: width },
      (_, index) => ({ type: "object", properties: { [`p${index}`]: { $ref: "#/$defs/n" } } }),
    );
    return { $ref: "#/$defs/n", $defs: { n: { anyOf: [...any, leaf] } } };
  };
  const verdict = verdictOf(changesOf(grow({ type: "string" }, 40), grow({ type: "number" }, 41)), "input");
  ok(["breaking", "uncertain"].includes(verdict), verdict);
});

test("a chain of definitions is compared once, and its many changes are cut", () => {
  const chain = (value: string) => {
    const part = (index: number) => ({
      type: "object",
      properties: { a: { enum: [value] }, next: { $ref: `#/$defs/d${(index + 1) % 120}` } },
    });
    const $defs = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`d${index}`, part(index)]));
    return { $ref: "#/$defs/d0", $defs };
  };
  const changes = changesOf(chain("a"), chain("b"));
  deepStrictEqual([verdictOf(changes, "input"), verdictOf(changes, "output")], ["breaking", "breaking"]);
  ok(changes.length <= 300 && changes.every(({ path }) => path.length <= 64), `${changes.length} changes`);
});
