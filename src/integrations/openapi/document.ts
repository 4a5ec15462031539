/**
 * An OpenAPI document as it is read: nothing of it is believed before it was looked at.
 *
 * @module
 */
import { isJsonObject, pointerKeys } from "../../internal/json.ts";
import { ImportError } from "./import_error.ts";

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Longest chain of references that only lead to further references. */
const MAX_CHAIN = 32;

/** A document, whose references lead into itself alone. */
export class OpenApiDocument {
  /** All of it. */
  readonly root: Members;
  /** Whether it is of OpenAPI 3.0, whose schemas are no JSON Schema yet. */
  readonly isVersion30: boolean;

  /** @throws {TypeError} If it is not of OpenAPI 3.1 or 3.0. */
  constructor(document: unknown) {
    const version = isJsonObject(document) ? document["openapi"] : undefined;
    if (!isJsonObject(document) || typeof version !== "string" || !/^3\.[01]\.\d+/.test(version)) {
      const hint = typeof document === "string" ? "parse its text first" : "its member openapi has to say so";
      throw new TypeError(`Cannot import: this is no OpenAPI 3.1 or 3.0 document; ${hint}`);
    }
    this.root = document;
    this.isVersion30 = version.startsWith("3.0");
  }

  /**
   * An object of the document, by way of references if need be.
   *
   * @param where Names it in errors.
   * @throws {ImportError} If it is none, or a reference leads out of the document, nowhere or in circles.
   */
  object(node: unknown, where: string): Members {
    let at = node;
    for (let step = 0; step < MAX_CHAIN; step++) {
      if (!isJsonObject(at)) throw new ImportError(where, "it is no object");
      if (at["$ref"] === undefined) return at;
      at = this.resolve(at["$ref"], where);
    }
    throw new ImportError(where, "its $ref leads in circles");
  }

  /**
   * What a reference points at.
   *
   * @throws {ImportError} If that is not in the document.
   */
  resolve(reference: unknown, where: string): unknown {
    const shown = JSON.stringify(reference)?.slice(0, 128);
    if (typeof reference !== "string" || !(reference === "#" || reference.startsWith("#/"))) {
      throw new ImportError(where, `$ref ${shown} leads out of the document; bundle it into one first`);
    }
    let at: unknown = this.root;
    for (const key of pointerKeys(reference)) {
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) {
        throw new ImportError(where, `$ref ${shown} leads nowhere`);
      }
      at = (at as Members)[key];
    }
    return at;
  }
}

/** The text, if it is one that says something. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
