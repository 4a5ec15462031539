import type { JsonSchema } from "./schema.ts";

/** What is read of any part of a valibot pipeline. */
export interface ValibotAction {
  /** `schema`, `validation`, `transformation` or `metadata`. */
  readonly kind: string;
  /** What it does, in snake case. */
  readonly type: string;
  /** What a validation asks for. */
  readonly requirement?: unknown;
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
    else if (isAsSent) restrict(draft, action);
  }
  return draft;
}

/** Whether JSON Schema can compare values with this one by `const` and `enum`, in every validator. */
export function isJsonConstant(value: unknown): boolean {
  return typeof value === "boolean" || typeof value === "string" || Number.isFinite(value);
}

/** `v.title` holds its text as `title`, and so on; `v.metadata` holds any of them. */
function annotate(draft: Draft, action: ValibotAction & { readonly [member: string]: unknown }): void {
  const { type, [type]: told } = action;
  for (const [name, value] of Object.entries(type === "metadata" ? told as Draft : { [type]: told })) {
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

/** Keywords that bound a value from below (`min…`) and from above. Of an array, `Length` is `Items`. */
const BOUNDS: Readonly<Record<string, readonly string[]>> = {
  min_value: ["minimum"],
  max_value: ["maximum"],
  gt_value: ["exclusiveMinimum"],
  lt_value: ["exclusiveMaximum"],
  min_length: ["minLength"],
  max_length: ["maxLength"],
  length: ["minLength", "maxLength"],
  min_entries: ["minProperties"],
  max_entries: ["maxProperties"],
  entries: ["minProperties", "maxProperties"],
};

function restrict(draft: Draft, { type, requirement }: ValibotAction): void {
  switch (type) {
    case "safe_integer":
      draft["type"] = "integer";
      bound(draft, "minimum", Number.MIN_SAFE_INTEGER);
      return bound(draft, "maximum", Number.MAX_SAFE_INTEGER);
    case "integer":
      draft["type"] = type;
      return;
    case "multiple_of":
      draft["multipleOf"] = requirement;
      return;
    case "base64":
      draft["contentEncoding"] = type;
      return;
    case "non_empty":
      return restrict(draft, { ...})
  }
}
