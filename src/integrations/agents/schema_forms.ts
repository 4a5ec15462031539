/** The forms that a value may have by its schema: alternatives as separate forms, and parts that all hold as one. */
import { valueAt } from "../../core/json_schema/pointer.ts";
import { isJsonObject } from "../../internal/json.ts";
import { ObjectCache } from "../../internal/object_cache.ts";
import type { ParameterSchema } from "./dialects.ts";

/** A form of a value: what all parts of a schema say of it, with one of each of its alternatives. */
export interface SchemaForm {
  /** The parts, without references. All of them hold. */
  readonly parts: readonly ParameterSchema[];
}

/** Maximum number of schemas that are read for the forms of a value. References may lead back, and alternatives multiply. */
const MAX_READ = 256;

/**
 * Returns the forms that a schema allows.
 *
 * @param root The schema that references lead into.
 * @returns `undefined` if a part is not known: a reference that leads nowhere, `true`, or more forms than are read.
 */
export function formsOf(schema: unknown, root: ParameterSchema): readonly SchemaForm[] | undefined {
  return isJsonObject(schema) ? readForms.get(root).get(schema) ?? undefined : undefined;
}

/** The forms of each schema by its root, read once: the values of a list have the same schema. */
const readForms = new ObjectCache((root: ParameterSchema) => {
  return new ObjectCache((schema: ParameterSchema) => new FormReader(root).read(schema) ?? null);
});

/** Reads the forms of a schema, up to a number of parts. */
class FormReader {
  readonly #root: ParameterSchema;
  #left = MAX_READ;

  constructor(root: ParameterSchema) {
    this.#root = root;
  }

  read(schema: unknown): readonly SchemaForm[] | undefined {
    if (!isJsonObject(schema) || this.#left-- <= 0) return undefined;
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    const further = Array.isArray(allOf) ? [...allOf] : [];
    if (typeof $ref === "string") further.push($ref.startsWith("#") ? valueAt(this.#root, $ref) : undefined);
    let forms: readonly SchemaForm[] | undefined = [{ parts: [own] }];
    for (const part of further) forms = combine(forms, this.read(part));
    for (const alternatives of [anyOf, oneOf]) {
      if (Array.isArray(alternatives)) forms = combine(forms, this.#readEach(alternatives));
    }
    return forms;
  }

  #readEach(alternatives: readonly unknown[]): readonly SchemaForm[] | undefined {
    const read = alternatives.map((alternative) => this.read(alternative));
    return read.every((forms) => forms !== undefined) ? read.flat() : undefined;
  }
}

function combine(
  forms: readonly SchemaForm[] | undefined,
  others: readonly SchemaForm[] | undefined,
): readonly SchemaForm[] | undefined {
  if (forms === undefined || others === undefined || forms.length * others.length > MAX_READ) return undefined;
  return forms.flatMap(({ parts }) => others.map((other) => ({ parts: [...parts, ...other.parts] })));
}
