/** Reads an OpenAPI document. All of it is checked before use. */
import { isJsonObject, type Members, pointerKeys } from "../../internal/json.ts";

/** Maximum length of a chain of references. */
const MAX_CHAIN = 32;

/** Reads parts of a parsed OpenAPI document, through their references, which must be local. */
export class OpenApiDocument {
  /** The whole document. */
  readonly root: Members;
  /** Whether the version is 3.0, whose schemas differ from JSON Schema. */
  readonly isVersion30: boolean;

  /** @throws {TypeError} If the version is not 3.1 or 3.0. */
  constructor(document: unknown) {
    const version = isJsonObject(document) ? document["openapi"] : undefined;
    if (!isJsonObject(document) || typeof version !== "string" || !/^3\.[01]\.\d+/.test(version)) {
      const hint = typeof document === "string" ? "parse its text first" : "its member openapi has to say so";
      throw new TypeError(`Cannot import: this is not an OpenAPI 3.1 or 3.0 document; ${hint}`);
    }
    this.root = document;
    this.isVersion30 = version.startsWith("3.0");
  }

  /**
   * Reads an object of the document, through references.
   *
   * @throws {ImportError} If the value is not an object, or a reference is external, dangling or circular.
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
   * Resolves a reference.
   *
   * @throws {ImportError} If its target is not in the document.
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

/** A string without the white space around it; `undefined` if nothing is left, or the value is not a string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Error for a part of an OpenAPI document that cannot be imported: its message has the place and the problem. */
export class ImportError extends TypeError {
  /** @param where Place of the problem: `GET /pets`. */
  constructor(where: string, problem: string) {
    super(`Cannot import ${where}: ${problem}`);
  }
}
