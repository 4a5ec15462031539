import { isJsonObject } from "../../internal/json.ts";
import type { JsonSchema } from "./standard_schema.ts";

/** What is read of any part of a valibot pipeline. */
export interface ValibotAction {
  /** `schema`, `validation`, `transformation` or `metadata`. */
  readonly kind: string;
  /** What it does, in snake case. */
  readonly type: string;
  /** Whatever else it has, such as the `requirement` of a validation. */
  readonly [member: string]: unknown;
}

type Draft = Record<string, unknown>;

/** Transformations that leave the value as it is: checks that follow are still about what was sent. */
const KEEPS_VALUE: ReadonlySet<string> = new Set(["brand", "flavor", "guard", "readonly"]);

/** Transformations that make something else of a value: whatever follows, titles included, is about that. */
const REPLACES_VALUE: RegExp =
  /^(transform|raw_transform|(parse|stringify)_json|to_(bigint|boolean|date|number|string)|find_item|reduce_items)$/;

/** Adds to a schema what the rest of its pipeline says of the values that are sent. */
export function addActions(schema: JsonSchema, actions: readonly ValibotAction[]): JsonSchema {
  const draft: Draft = { ...schema };
  let isAsSent = true;
  for (const action of actions) {
    const { kind, type } = action;
    if (kind === "schema" || (kind === "transformation" && REPLACES_VALUE.test(type))) break;
    if (kind === "metadata") annotate(draft, action);
    else if (kind === "transformation") isAsSent &&= KEEPS_VALUE.has(type);
    else if (isAsSent) restrict(draft, type, action["requirement"]);
  }
  return draft;
}

/** Whether JSON Schema can compare values with this one by `const` and `enum`, in every validator. */
export function isJsonConstant(value: unknown): boolean {
  return typeof value === "boolean" || typeof value === "string" || Number.isFinite(value);
}

/** `v.title` holds its text as `title`, and so on; `v.metadata` holds any of them. */
function annotate(draft: Draft, action: ValibotAction): void {
  const { type } = action;
  const told = action[type];
  for (const [name, value] of Object.entries(isJsonObject(told) ? told : { [type]: told })) {
    if (name === "examples") {
      if (Array.isArray(value)) draft[name] = [...(Array.isArray(draft[name]) ? draft[name] : []), ...value];
    } else if (typeof value === "string" || !/^(title|description|__proto__)$/.test(name)) draft[name] = value;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  email: "email",
  rfc_email: "email",
  ipv4: "ipv4",
  ipv6: "ipv6",
  iso_date: "date",
  iso_date_time: "date-time",
  iso_timestamp: "date-time",
  iso_time: "time",
  url: "uri",
  uuid: "uuid",
};

/** Keywords that bound a value. Of an array, `Length` is `Items`. */
const BOUNDS: Readonly<Record<string, string>> = {
  min_value: "minimum",
  max_value: "maximum",
  gt_value: "exclusiveMinimum",
  lt_value: "exclusiveMaximum",
  min_length: "minLength",
  max_length: "maxLength",
  min_entries: "minProperties",
  max_entries: "maxProperties",
};

/** Whatever is not here and is no regular expression, JSON Schema cannot say. */
function restrict(draft: Draft, type: string, requirement: unknown): void {
  switch (type) {
    case "length":
    case "entries":
      restrict(draft, `min_${type}`, requirement);
      restrict(draft, `max_${type}`, requirement);
      break;
    case "non_empty":
      restrict(draft, "min_length", 1);
      break;
    case "empty":
      restrict(draft, "max_length", 0);
      break;
    case "safe_integer":
      draft["type"] = "integer";
      restrict(draft, "min_value", Number.MIN_SAFE_INTEGER);
      restrict(draft, "max_value", Number.MAX_SAFE_INTEGER);
      break;
    case "integer":
      draft["type"] = type;
      break;
    case "multiple_of":
      draft["multipleOf"] = requirement;
      break;
    case "starts_with":
      match(draft, `^${escapePattern(requirement)}`);
      break;
    case "includes":
      match(draft, escapePattern(requirement));
      break;
    case "ends_with":
      match(draft, `${escapePattern(requirement)}$`);
      break;
    case "value":
      if (isJsonConstant(requirement) && (draft["const"] ?? requirement) === requirement) draft["const"] = requirement;
      break;
    case "values":
      if (areConstants(requirement)) allow(draft, requirement);
      break;
    case "not_value":
      if (isJsonConstant(requirement)) exclude(draft, { const: requirement });
      break;
    case "not_values":
      if (areConstants(requirement) && requirement.length > 0) exclude(draft, { enum: [...new Set(requirement)] });
      break;
    case "base64":
      draft["contentEncoding"] = type;
      break;
    default:
      if (BOUNDS[type] !== undefined) bound(draft, BOUNDS[type], requirement);
      else if (FORMATS[type] !== undefined) draft["format"] = FORMATS[type];
      else if (requirement instanceof RegExp && !/[^u]/.test(requirement.flags)) match(draft, requirement.source);
  }
}

const NUMERIC: readonly unknown[] = ["number", "integer"];

/** Keeps the stricter of two bounds. One that JSON Schema does not know, such as a bigint or a length of 1.5, is left out. */
function bound(draft: Draft, keyword: string, limit: unknown): void {
  if (typeof limit !== "number") return;
  const isKnown = keyword.endsWith("imum")
    ? NUMERIC.includes(draft["type"]) && Number.isFinite(limit)
    : Number.isInteger(limit) && limit >= 0;
  const name = draft["type"] === "array" ? keyword.replace("Length", "Items") : keyword;
  const other = draft[name];
  const isStricter = typeof other !== "number" || (/min/i.test(name) ? limit > other : limit < other);
  if (isKnown && isStricter) draft[name] = limit;
}

/** Only one pattern can be told; the first is. */
function match(draft: Draft, pattern: string): void {
  draft["pattern"] ||= pattern;
}

function allow(draft: Draft, values: readonly unknown[]): void {
  const before = draft["enum"];
  const both = Array.isArray(before) ? before.filter((value) => values.includes(value)) : values;
  draft["enum"] = [...new Set(both)];
  if (both.length > 0) return;
  // Nothing is left, which older drafts do not let `enum` say.
  delete draft["enum"];
  exclude(draft, {});
}

function exclude(draft: Draft, excluded: JsonSchema): void {
  draft["not"] = draft["not"] === undefined ? excluded : { anyOf: [draft["not"], excluded] };
}

function areConstants(values: unknown): values is readonly unknown[] {
  return Array.isArray(values) && values.every(isJsonConstant);
}

function escapePattern(text: unknown): string {
  return String(text).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
