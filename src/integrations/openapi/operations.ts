/**
 * The operations of a document: what can be done where, before anything is made of it.
 *
 * @module
 */
import { asObject, isJsonObject } from "../../internal/json.ts";
import { type Members, type OpenApiDocument, textOf } from "./document.ts";
import { ImportError } from "./import_error.ts";

/** What `select` is told of an operation. */
export interface OpenApiOperation {
  /** In upper case. */
  readonly method: string;
  /** As the document has it: `/pets/{id}`. */
  readonly path: string;
  /** As the document has it, if it has one. */
  readonly operationId: string | undefined;
  /** As the document has them. */
  readonly tags: readonly string[];
}

/** An operation of which only that is known yet. */
export interface FoundOperation extends OpenApiOperation {
  /**
   * Reads the rest.
   *
   * @throws {ImportError} If a parameter is none, or refers to what is not there; or its path does.
   */
  read(): ReadOperation;
}

/** An operation, read. */
export interface ReadOperation extends OpenApiOperation {
  /** The operation itself. */
  readonly source: Members;
  /** Its parameters, those of its path among them; its own count where both have one. */
  readonly parameters: readonly NamedParameter[];
  /** Servers that it names itself, or its path does. */
  readonly servers: unknown;
}

/** A parameter that has a name. */
export interface NamedParameter {
  /** Not empty. */
  readonly name: string;
  /** The parameter itself. */
  readonly source: Members;
}

/** `TRACE` is left out: `fetch` must not send it. */
const METHODS: readonly string[] = ["get", "head", "options", "post", "put", "patch", "delete"];

/** All operations of a document, in its order. */
export function* operationsOf(document: OpenApiDocument): Generator<FoundOperation> {
  for (const [path, node] of Object.entries(asObject(document.root["paths"]))) {
    if (!path.startsWith("/")) continue;
    const place = `path ${path.slice(0, 128)}`;
    let item: Members;
    try {
      item = document.object(node, place);
    } catch (problem) {
      yield* unreadableOperations(path, problem);
      continue;
    }
    for (const key of METHODS) {
      const source = Object.hasOwn(item, key) ? item[key] : undefined;
      if (!isJsonObject(source)) continue;
      const operation = {
        method: key.toUpperCase(),
        path,
        operationId: textOf(source["operationId"]),
        tags: listOf(source["tags"]).filter((tag) => typeof tag === "string"),
      };
      const servers = source["servers"] ?? item["servers"];
      const read = () => ({
        ...operation,
        source,
        servers,
        parameters: readParameters(document, operation, item, source),
      });
      yield { ...operation, read };
    }
  }
}

/** What a path may have that cannot be read: whoever does not take any of it need not mend it. */
function* unreadableOperations(path: string, problem: unknown): Generator<FoundOperation> {
  const read = (): never => {
    throw problem;
  };
  for (const key of METHODS) yield { method: key.toUpperCase(), path, operationId: undefined, tags: [], read };
}

function readParameters(
  document: OpenApiDocument,
  { method, path }: OpenApiOperation,
  item: Members,
  source: Members,
): readonly NamedParameter[] {
  const parameters = new Map<string, NamedParameter>();
  const take = (nodes: unknown, place: string): void => {
    for (const [index, node] of listOf(nodes).entries()) {
      const where = `parameters[${index}] of ${place} ${path.slice(0, 128)}`;
      const parameter = document.object(node, where);
      const name = parameter["name"];
      if (typeof name !== "string" || name === "") throw new ImportError(where, "it has no name");
      parameters.set(JSON.stringify([parameter["in"], name]), { name, source: parameter });
    }
  };
  take(item["parameters"], "path");
  take(source["parameters"], method);
  return [...parameters.values()];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
