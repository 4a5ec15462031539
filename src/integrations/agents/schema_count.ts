/** Results of a conversion, and the limits of one schema. */
import type { Dialect, ParameterSchema } from "./dialects.ts";
import type { SchemaChange } from "./keywords.ts";

/** A schema that was reduced to what a vendor takes, the changes, and the conversion of arguments to those of the original. */
export interface ReducedSchema {
  readonly schema: ParameterSchema;
  /** Converts arguments of the reduced schema to arguments of the original schema. */
  toArguments(given: unknown): unknown;
  readonly changes: readonly SchemaChange[];
  /** Number of properties that are not required. */
  readonly optional: number;
  /** Number of alternatives and of lists of types. */
  readonly unions: number;
}

/** The place of what a vendor cannot express, and why. */
export interface InexpressiblePart {
  /** JSON Pointer in the schema. */
  readonly pointer: string;
  /** What the vendor cannot express. */
  readonly reason: string;
}

/** Ends a conversion of a schema that the vendor cannot express. */
export class Inexpressible extends Error {
  readonly pointer: string;

  constructor(pointer: string, reason: string) {
    super(reason);
    this.pointer = pointer;
  }
}

/** Limits of OpenAI on an enumeration with many values. */
const MANY_VALUES = 250;
const MAX_CHARACTERS_OF_MANY = 15_000;

/** Counts parts of one schema that vendors limit, such as properties and enumerated values. Throws `Inexpressible` above a limit. */
export class SchemaCount {
  /** Number of properties that are not required. */
  optional = 0;
  /** Number of alternatives and of lists of types. */
  unions = 0;
  readonly #dialect: Dialect;
  #properties = 0;
  #values = 0;
  #characters = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Adds the values of an enumeration. */
  addValues(values: readonly unknown[], at: string): void {
    const { isStrict, limits } = this.#dialect;
    const { length } = JSON.stringify(values);
    this.#values += values.length;
    if (this.#values > limits.values) {
      throw new Inexpressible(at, `enumerations have more than ${limits.values} values`);
    }
    if (isStrict && values.length > MANY_VALUES && length > MAX_CHARACTERS_OF_MANY) {
      throw new Inexpressible(
        at,
        `more than ${MANY_VALUES} values have more than ${MAX_CHARACTERS_OF_MANY} characters`,
      );
    }
    this.#addCharacters(length, at);
  }

  /** Adds the properties of an object. */
  addProperties(names: readonly string[], required: number, at: string): void {
    const { properties } = this.#dialect.limits;
    this.#properties += names.length;
    this.optional += names.length - required;
    if (this.#properties > properties) {
      throw new Inexpressible(at, `the schema has more than ${properties} properties`);
    }
    this.#addCharacters(names.join("").length, at);
  }

  #addCharacters(count: number, at: string): void {
    const { characters } = this.#dialect.limits;
    this.#characters += count;
    if (this.#characters > characters) {
      throw new Inexpressible(at, `names and values have more than ${characters} characters`);
    }
  }
}
