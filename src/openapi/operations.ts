/**
 * The operations of a document: what can be done where, before anything is made of it.
 *
 * @module
 */
import { membersOf } from "../codec/result/members.ts";
import { isJsonObject } from "../internal/json.ts";
import { type Members, type OpenApiDocument, textOf } from "./document.ts";

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

/** An operation with what is read of it later. */
export interface FoundOperation extends OpenApiOperation {
  /** The operation itself. */
  readonly source: Members;
  /** Its parameters, those of its path among them; its own count where both have one. */
  readonly parameters: readonly Members[];
  /** Servers that it names itself, or its path does. */
  readonly servers: unknown;
}

/** `TRACE` is left out: `fetch` must not send it. */
const METHODS: readonly string[] = ["get", "head", "options", "post", "put", "patch", "delete"];

/** All operations of a document, in its order. */
export function* operationsOf(document: OpenApiDocument): Generator<FoundOperation> {
  for (const [path, node] of Object.entries(membersOf(document.root["paths"]))) {
    if (!path.startsWith("/")) continue;
    const item = document.object(node, `path ${path.slice(0, 128)}`);
    for (const method of METHODS) {
      const source = Object.hasOwn(item, method) ? item[method] : undefined;
      if (isJsonObject(source)) yield readOperation(document, { method: method.toUpperCase(), path }, item, source);
    }
  }
}

function readOperation(
  document: OpenApiDocument,
  { method, path }: Pick<OpenApiOperation, "method" | "path">,
  item: Members,
  source: Members,
): FoundOperation {
  const where = `${method} ${path.slice(0, 128)}`;
  const parameters = new Map<string, Members>();
  for (const node of [...listOf(item["parameters"]), ...listOf(source["parameters"])]) {
    const parameter = document.object(node, `a parameter of ${where}`);
    parameters.set(JSON.stringify([parameter["in"], parameter["name"]]), parameter);
  }
  return {
    method,
    path,
    operationId: textOf(source["operationId"]),
    tags: listOf(source["tags"]).filter((tag) => typeof tag === "string"),
    source,
    parameters: [...parameters.values()],
    servers: source["servers"] ?? item["servers"],
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
