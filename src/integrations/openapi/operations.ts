/** The operations of a document, before they are converted. */
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";
import { ImportError, type OpenApiDocument, textOf } from "./document.ts";

/** An operation of an OpenAPI document, as the option `select` receives it: what is needed to choose it. */
export interface OpenApiOperation {
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path of the document: `/pets/{id}`. */
  readonly path: string;
  /** Operation id of the document. */
  readonly operationId: string | undefined;
  /** Tags of the document. */
  readonly tags: readonly string[];
}

/** An operation whose parameters and servers have not been read. */
export interface FoundOperation extends OpenApiOperation {
  /**
   * Reads the details.
   *
   * @throws {ImportError} If a parameter is invalid, or a reference of the operation or its path is dangling.
   */
  read(): ReadOperation;
}

/** An operation of a document, with its references resolved. */
export interface ReadOperation extends OpenApiOperation {
  /** The operation itself. */
  readonly source: Members;
  /** Parameters of the operation and of its path; the operation's override the path's. */
  readonly parameters: readonly NamedParameter[];
  /** Servers of the operation or its path. */
  readonly servers: unknown;
}

/** A parameter of an operation, before its schema and its style are read. */
export interface NamedParameter {
  /** Name, not empty. */
  readonly name: string;
  /** The parameter itself. */
  readonly source: Members;
}

/** `TRACE` is left out: `fetch` must not send it. */
const METHODS: readonly string[] = ["get", "head", "options", "post", "put", "patch", "delete"];

/** All operations of a document but TRACE, in its order. A path that cannot be read yields every method; their `read()` throws. */
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

/** Defers errors of a path item until one of its operations is read. */
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
