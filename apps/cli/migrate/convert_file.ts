/** Converts one file. */
import { Node, type SourceFile } from "ts-morph";
import { Draft, MARKER, type Note, type PackageFacts } from "./draft.ts";
import { libraryOf } from "./imports.ts";
import { nameKept } from "./kept_names.ts";
import { convertServers } from "./servers.ts";
import { SAME_TYPES, SERVER_CLASSES } from "./tables.ts";
import { convertTransports } from "./transports.ts";

/** Steps of the conversion of a file, by the names with which users choose them. */
export const TRANSFORMS: Readonly<Record<string, (draft: Draft) => void>> = {
  servers: convertServers,
  transports: convertTransports,
  types: dropTypes,
};

/** A place that was not converted and needs a person, with the reason. */
export interface Left {
  readonly line: number;
  readonly reason: string;
}

/** Result of {@link convertFile}: the text, notes of behaviour that differs, and places that are left for a person. */
export interface Converted {
  readonly text: string;
  readonly notes: readonly Note[];
  readonly left: readonly Left[];
}

/** Whether a file imports a library that is converted: the MCP SDK, mcp-lite or FastMCP. */
export function isAffected(source: SourceFile): boolean {
  return source.getImportDeclarations().some((one) => libraryOf(one.getModuleSpecifierValue()) !== undefined);
}

/** Converts the text of a file by the named steps; writes nothing. Without imports of the libraries it stays; `new Server()` is only marked. */
export function convertFile(source: SourceFile, facts: PackageFacts, names: readonly string[]): Converted {
  const before = source.getFullText();
  const draft = new Draft(source, facts);
  const lowLevel = findLowLevel(draft);
  if (isAffected(source)) {
    for (const node of lowLevel) draft.todo(node, "low-level");
    if (lowLevel.length === 0) { for (const name of names) TRANSFORMS[name]?.(draft); }
    if (!draft.edits.isEmpty) draft.imports.write();
  }
  const converted = draft.edits.isEmpty ? before : draft.edits.apply();
  // A low-level file keeps the other library as a whole.
  const text = isAffected(source) && lowLevel.length === 0
    ? nameKept(converted, source.getBaseName(), draft.eol)
    : converted;
  return { text, notes: draft.notes, left: leftIn(text) };
}

/** Servers of handlers of requests. Their file works with the other library until a person has rewritten it. */
function findLowLevel(draft: Draft): readonly Node[] {
  return draft.source.getDescendants().filter(Node.isNewExpression).filter((one) =>
    draft.imports.isAny(one.getExpression(), "Server")
  );
}

/** Markers of a text, those of earlier runs included. */
function leftIn(text: string): readonly Left[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const at = line.indexOf(`// ${MARKER} `);
    return at === -1 ? [] : [{ line: index + 1, reason: line.slice(at + MARKER.length + 4) }];
  });
}

/** Types with a counterpart of the same name become it; return types of factories that name a server of the other library are removed. */
function dropTypes(draft: Draft): void {
  for (const node of draft.source.getDescendants().filter(Node.isTypeReference)) {
    const name = node.getTypeName();
    if (!draft.imports.isAny(name, ...SAME_TYPES)) continue;
    draft.replace(name, draft.imports.use("toolwire", name.getText(), { isType: true }));
  }
  for (const node of draft.source.getDescendants()) {
    const isTyped = Node.isFunctionDeclaration(node) || Node.isArrowFunction(node) || Node.isFunctionExpression(node);
    const type = isTyped ? node.getReturnTypeNode() : Node.isVariableDeclaration(node) ? node.getTypeNode() : undefined;
    if (type === undefined) continue;
    const isServer = [type, ...type.getDescendants()].some((one) => draft.imports.isAny(one, ...SERVER_TYPES));
    if (isServer) {
      draft.edits.overwrite(draft.source.getFullText().lastIndexOf(":", type.getStart()), type.getEnd(), "");
    }
  }
}

const SERVER_TYPES = [
  ...SERVER_CLASSES,
  "McpServerFactory",
  "RegisteredTool",
  "RegisteredResource",
  "RegisteredPrompt",
];
