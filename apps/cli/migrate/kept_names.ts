/** Names of the converted libraries that a file still uses after its conversion: they are listed above their import. */
import { ts } from "ts-morph";
import { MARKER } from "./draft.ts";
import { libraryOf } from "./imports.ts";
import { TODOS } from "./tables.ts";

const START = `// ${MARKER} ${TODOS["not-converted"]}`;

/** The text with a comment above each import of a library whose names are used where no other comment says what to do. */
export function nameKept(text: string, fileName: string, eol: string): string {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const imports = file.statements.filter(ts.isImportDeclaration).filter((one) =>
    ts.isStringLiteral(one.moduleSpecifier) && libraryOf(one.moduleSpecifier.text) !== undefined
  );
  let named = text;
  for (const declaration of imports.toReversed()) {
    const start = declaration.getStart();
    const above = text.slice(declaration.getFullStart(), start);
    const names = namesOf(declaration).filter((name) => isOpen(file, name));
    if (names.length > 0 && !above.includes(START)) {
      named = `${named.slice(0, start)}${START} ${names.join(", ")}${eol}${named.slice(start)}`;
    }
  }
  return named;
}

/** Local names of an import. */
function namesOf({ importClause }: ts.ImportDeclaration): readonly string[] {
  const bindings = importClause?.namedBindings;
  const named = bindings === undefined ? [] : ts.isNamedImports(bindings) ? bindings.elements : [bindings];
  return [importClause, ...named].flatMap((one) => one?.name === undefined ? [] : [one.name.text]);
}

/** Whether a name is used where no comment is left for a person. */
function isOpen(file: ts.SourceFile, name: string): boolean {
  const visit = (node: ts.Node): boolean => {
    if (ts.isImportDeclaration(node) || isMarked(file, node)) return false;
    if (ts.isIdentifier(node)) return node.text === name && !isMemberName(node);
    return ts.forEachChild(node, (child) => visit(child) || undefined) ?? false;
  };
  return visit(file);
}

function isMarked(file: ts.SourceFile, node: ts.Node): boolean {
  if (ts.isSourceFile(node)) return false;
  return file.text.slice(node.getFullStart(), node.getStart()).includes(MARKER);
}

/** `name` of `a.name` and of `{ name: 1 }`. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node);
}
