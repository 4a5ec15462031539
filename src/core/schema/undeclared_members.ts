/**
 * Members of an output that its schema does not have, and that its library leaves out of the value that it returns.
 *
 * An output is sent as its handler returned it, without the defaults and transforms of the schema. Members are left out of it where the
 * library's own result lacks them: that knows alternatives, references and the defaults of its library.
 *
 * @module
 */
import { isJsonObject, type Members } from "../../internal/json.ts";
import { resolveReference } from "./json_schema.ts";
import type { JsonSchema } from "./standard_schema.ts";

/**
 * Returns a value without the members that `accepted`, the result of its validation, lacks, or the value itself. Members
 * that the schema declares are kept: only a transform removes them.
 */
export function omitUndeclared(value: unknown, accepted: unknown, schema: JsonSchema): unknown {
  return isPartOf(value, accepted) ? value : omitFrom(value, accepted, new SubschemaPlace([schema], schema));
}

/** What every object has under names such as `constructor`, which a member may have, too. */
const INHERITED: Members = {};

/** Whether nothing is to be left out. Runs for each output whose library returns copies, so that it allocates nothing. */
function isPartOf(value: unknown, accepted: unknown): boolean {
  if (value === accepted || !isContainer(value)) return true;
  if (!isContainer(accepted) || Array.isArray(value) !== Array.isArray(accepted)) return false;
  if (Array.isArray(value)) {
    if (!Array.isArray(accepted) || accepted.length !== value.length) return false;
    for (let at = 0; at < value.length; at++) {
      const item = value[at];
      if (typeof item === "object" && !isPartOf(item, accepted[at])) return false;
    }
    return true;
  }
  for (const name in value) {
    const member = (value as Members)[name];
    const other = (accepted as Members)[name];
    if (typeof member === "object" ? !isPartOf(member, other) : name === "toJSON") return false;
    if ((other === undefined || other === INHERITED[name]) && !Object.hasOwn(accepted, name)) return false;
  }
  return !hasMethod(value);
}

/** Whether a class has the `toJSON` of an object. */
function hasMethod(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null && "toJSON" in value;
}

function omitFrom(given: unknown, accepted: unknown, place: SubschemaPlace): unknown {
  const value = written(given);
  if (value === accepted || !isContainer(value)) return given;
  // A transform: nothing of its result shows what the library leaves out.
  if (!isContainer(accepted) || Array.isArray(value) !== Array.isArray(accepted)) return omitBySchema(value, place);
  if (Array.isArray(value)) {
    const { length } = accepted as readonly unknown[];
    // Items are matched by their places, which a filter changes.
    if (length !== value.length && !(length < value.length && place.isTupleOf(length))) {
      return omitBySchema(value, place);
    }
    return value.slice(0, length).map((item, at) => omitFrom(item, (accepted as unknown[])[at], place.item(at)));
  }
  const isPicked = place.hasAlternatives && !hasOthers(accepted, value);
  const kept: [name: string, member: unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(accepted, name)) {
      kept.push([name, omitFrom(member, (accepted as Members)[name], place.member(name))]);
    } else if (!place.declaresNames || (place.declares(name) && !isPicked)) kept.push([name, member]);
  }
  return Object.fromEntries(kept);
}

/** Leaves out what the schema alone shows not to be a member: names beside declared ones, where it does not allow others. */
function omitBySchema(given: unknown, place: SubschemaPlace): unknown {
  if (!place.isDescribed) return given;
  const value = written(given);
  if (!isContainer(value)) return given;
  if (Array.isArray(value)) return value.map((item, at) => omitBySchema(item, place.item(at)));
  if (!place.declaresNames && !place.allowsOthers) return given;
  const isKept = (name: string) => !place.declaresNames || place.declares(name) || place.allowsOthers;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => isKept(name))
      .map(([name, member]) => [name, omitBySchema(member, place.member(name))]),
  );
}

/** What JSON writes for a value. */
function written(value: unknown): unknown {
  const { toJSON } = (isContainer(value) ? value : {}) as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, "") : value;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether the library has added or renamed members. */
function hasOthers(accepted: object, value: object): boolean {
  return Object.keys(accepted).some((name) => !Object.hasOwn(value, name));
}

/** Maximum depth of references and alternatives at one place. */
const MAX_DESCENT = 32;

/** The subschemas that apply, or may apply, to the value at one place. */
class SubschemaPlace {
  readonly #root: JsonSchema;
  readonly #parts: JsonSchema[] = [];
  /** Whether some of the subschemas are alternatives to others. */
  hasAlternatives = false;

  constructor(parts: readonly unknown[], root: JsonSchema) {
    this.#root = root;
    for (const part of parts) this.#add(part, 0);
  }

  #add(part: unknown, descent: number): void {
    if (!isJsonObject(part) || descent > MAX_DESCENT) return;
    this.#parts.push(part);
    const { $ref: reference, allOf, anyOf, oneOf } = part;
    if (typeof reference === "string") this.#add(resolveReference(reference, this.#root), descent + 1);
    for (const group of [allOf, anyOf, oneOf]) {
      if (!Array.isArray(group)) continue;
      if (group !== allOf && group.length > 1) this.hasAlternatives = true;
      for (const one of group) this.#add(one, descent + 1);
    }
  }

  /** Whether an object at this place has declared names. */
  get declaresNames(): boolean {
    return this.#parts.some(({ properties }) => isJsonObject(properties));
  }

  /** Whether a schema applies here. What is below has none either, however deep it is. */
  get isDescribed(): boolean {
    return this.#parts.length > 0;
  }

  /** Whether an object at this place may have names that it does not declare. */
  get allowsOthers(): boolean {
    return this.#parts.some(({ additionalProperties: others, patternProperties }) =>
      (others !== undefined && others !== false) || patternProperties !== undefined
    );
  }

  /** Whether this is a list of so many items with a schema each, and none for further ones. */
  isTupleOf(length: number): boolean {
    return this.#parts.some(({ prefixItems, items }) =>
      Array.isArray(prefixItems) && prefixItems.length === length && items === undefined
    );
  }

  declares(name: string): boolean {
    return this.#parts.some(({ properties }) => isJsonObject(properties) && Object.hasOwn(properties, name));
  }

  member(name: string): SubschemaPlace {
    return this.#below(({ properties, additionalProperties, patternProperties }) => [
      isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties,
      ...isJsonObject(patternProperties) ? Object.values(patternProperties) : [],
    ]);
  }

  item(at: number): SubschemaPlace {
    return this.#below(({ prefixItems, items }) => [
      Array.isArray(prefixItems) && at < prefixItems.length ? prefixItems[at] : items,
    ]);
  }

  #below(read: (part: JsonSchema) => unknown[]): SubschemaPlace {
    return new SubschemaPlace(this.#parts.flatMap(read), this.#root);
  }
}
