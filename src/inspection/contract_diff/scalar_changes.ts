/** Compares keywords without subschemas: types, bounds, lengths, patterns, and texts for people and models. */
import { canonicalJson, type Members } from "../../internal/json.ts";
import { changeHere, type ValueChange } from "./schema_change.ts";

/** Types of JSON Schema. A number that is not an integer is a type here. */
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"] as const;

/** Name of a type in the keyword `type`. `number` is used here for numbers that are not integers. */
export type JsonType = typeof TYPES[number];

/** The types that `type` accepts: all without it, `integer` and `number` for `number`. `undefined` if `type` is malformed. */
export function jsonTypesOf({ type }: Members): ReadonlySet<JsonType> | undefined {
  if (type === undefined) return new Set(TYPES);
  const names = [type].flat();
  if (!names.every((name) => (TYPES as readonly unknown[]).includes(name))) return undefined;
  return new Set<JsonType>(
    (names as JsonType[]).flatMap((name) => (name === "number" ? ["integer", "number"] : [name])),
  );
}

/** Compares the keyword `type` of two schemas. A lost type is `narrower`, a new one `wider`, a malformed keyword `uncertain`. */
export function compareTypes(before: Members, after: Members): ValueChange[] {
  const [typesBefore, typesAfter] = [jsonTypesOf(before), jsonTypesOf(after)];
  if (typesBefore === undefined || typesAfter === undefined) return compareOpaque(["type"], before, after);
  const lost = [...typesBefore].filter((type) => !typesAfter.has(type));
  const added = [...typesAfter].filter((type) => !typesBefore.has(type));
  const changes: ValueChange[] = [];
  if (lost.length > 0) changes.push(changeHere("narrower", `the type ${lost.join(", ")} was removed`));
  if (added.length > 0) changes.push(changeHere("wider", `the type ${added.join(", ")} was added`));
  return changes;
}

/** Compares keywords that describe values and do not restrict them, such as `title` and `default`. Each difference is a `note`. */
export function compareNotes(before: Members, after: Members): ValueChange[] {
  return NOTES.filter((keyword) => isDifferent(before[keyword], after[keyword])).map((keyword) => {
    return changeHere("note", `the ${keyword} changed, which models read`);
  });
}

const NOTES = [
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
];

/** Compares minimum, maximum, their exclusive forms, and `multipleOf` of two schemas: tighter is `narrower`. Bounds of integers are whole. */
export function compareNumbers(before: Members, after: Members): ValueChange[] {
  const isWhole = [before, after].every((schema) => jsonTypesOf(schema)?.has("number") === false);
  const bounds = (["minimum", "maximum"] as const).map((side) => {
    return compareBound(side, boundOf(before, side, isWhole), boundOf(after, side, isWhole));
  });
  return [...bounds.flat(), ...compareSteps(before["multipleOf"], after["multipleOf"])];
}

/** A bound: greater is tighter. `undefined` if a keyword is malformed. */
type Bound = { readonly value: number; readonly isOpen: boolean } | undefined;

/** Source: JSON Schema Validation, draft 2020-12, section 6.2. An upper bound is negated, so that both are lower bounds. */
function boundOf(schema: Members, side: "minimum" | "maximum", isWhole: boolean): Bound {
  const sign = side === "minimum" ? 1 : -1;
  const { [side]: closed, [side === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"]: open } = schema;
  const valid = [closed, open].every((value) => value === undefined || typeof value === "number");
  if (!valid) return undefined;
  const bounds = [
    { value: closed === undefined ? -Infinity : sign * Number(closed), isOpen: false },
    { value: open === undefined ? -Infinity : sign * Number(open), isOpen: open !== undefined },
  ].map(({ value, isOpen }) => {
    return isWhole ? { value: isOpen ? Math.floor(value) + 1 : Math.ceil(value), isOpen: false } : { value, isOpen };
  });
  return bounds.reduce((one, other) => (isTighter(other, one) ? other : one));
}

function isTighter(one: NonNullable<Bound>, other: NonNullable<Bound>): boolean {
  return one.value > other.value || (one.value === other.value && one.isOpen && !other.isOpen);
}

function compareBound(side: string, before: Bound, after: Bound): ValueChange[] {
  if (before === undefined || after === undefined) {
    return [changeHere("uncertain", `the ${side} is not a number, so that it cannot be compared`)];
  }
  if (isTighter(after, before)) return [changeHere("narrower", `the ${side} is tighter`)];
  return isTighter(before, after) ? [changeHere("wider", `the ${side} is looser`)] : [];
}

function compareSteps(before: unknown, after: unknown): ValueChange[] {
  if (!isDifferent(before, after)) return [];
  if (before === undefined) return [changeHere("narrower", "multipleOf was added")];
  if (after === undefined) return [changeHere("wider", "multipleOf was removed")];
  if (Number.isInteger(Number(after) / Number(before))) return [changeHere("narrower", "multipleOf is tighter")];
  if (Number.isInteger(Number(before) / Number(after))) return [changeHere("wider", "multipleOf is looser")];
  return [changeHere("uncertain", "multipleOf changed")];
}

/** Compares a limit on a size, such as `minLength`: tighter is `narrower`. Names with `max` are upper limits. An absent one restricts nothing. */
export function compareLimit(keyword: string, before: unknown, after: unknown): ValueChange[] {
  const isUpper = keyword.startsWith("max");
  const [one, other] = [before, after].map((value) => value ?? (isUpper ? Infinity : 0));
  if (typeof one !== "number" || typeof other !== "number") {
    return isDifferent(before, after) ? [changeHere("uncertain", `${keyword} cannot be compared`)] : [];
  }
  if (one === other) return [];
  const isNarrower = isUpper ? other < one : other > one;
  return [changeHere(isNarrower ? "narrower" : "wider", `${keyword} is ${isNarrower ? "tighter" : "looser"}`)];
}

/** Compares the string keywords of two schemas. A changed `format` is `uncertain`: whether it restricts values depends on the validator. */
export function compareStrings(before: Members, after: Members): ValueChange[] {
  return [
    ...compareLimit("minLength", before["minLength"], after["minLength"]),
    ...compareLimit("maxLength", before["maxLength"], after["maxLength"]),
    ...compareAssertions(["pattern"], before, after),
    ...compareOpaque(["format"], before, after),
  ];
}

/** Compares keywords that restrict values by themselves: an added one is `narrower`, a removed one `wider`, a changed one `uncertain`. */
export function compareAssertions(keywords: readonly string[], before: Members, after: Members): ValueChange[] {
  return keywords.filter((keyword) => isDifferent(before[keyword], after[keyword])).map((keyword) => {
    if (before[keyword] === undefined) return changeHere("narrower", `${keyword} was added`);
    return after[keyword] === undefined
      ? changeHere("wider", `${keyword} was removed`)
      : changeHere("uncertain", `${keyword} changed`);
  });
}

/** Compares keywords whose effect on values is not known. Each difference is `uncertain`. */
export function compareOpaque(keywords: readonly string[], before: Members, after: Members): ValueChange[] {
  return keywords.filter((keyword) => isDifferent(before[keyword], after[keyword])).map((keyword) => {
    return changeHere("uncertain", `${keyword} changed`);
  });
}

/** Whether two JSON values differ; the order of members is ignored. */
export function isDifferent(before: unknown, after: unknown): boolean {
  return before !== after && canonicalJson(before) !== canonicalJson(after);
}
