/** The schema adapter of mcp-lite: schemas of libraries without JSON Schema keep it. */
import { type NewExpression, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { isFn } from "./functions.ts";
import { definitionsOf, membersOf } from "./registrations.ts";
import { CONVERTIBLE_SCHEMAS } from "./tables.ts";

/** The text of the adapter of a server. `undefined` if an adapter is missing, or its schemas have a JSON form here. */
export function adapterOf(draft: Draft, created: NewExpression): string | undefined {
  const adapter = membersOf(created.getArguments()[0])?.get("schemaAdapter");
  if (adapter === undefined) return undefined;
  const modules = [adapter, ...adapter.getDescendants()].filter(Node.isIdentifier).flatMap(moduleOf);
  if (!modules.some((module) => !CONVERTIBLE_SCHEMAS.test(module))) return undefined;
  if (Node.isIdentifier(adapter)) return adapter.getText();
  const name = draft.freeName("toJsonSchema", "schemaToJson");
  const owner = adapter.getFirstAncestor(isFn);
  const at = owner === undefined ? created.getFirstAncestorOrThrow(Node.isStatement) : undefined;
  if (at === undefined) return `(${draft.render(adapter)})`;
  const type = /\.[cm]?jsx?$/.test(draft.source.getFilePath()) ? "" : ": (schema: unknown) => unknown";
  draft.edits.insert(at.getStart(), `const ${name}${type} = ${draft.render(adapter)};${draft.eol}${draft.eol}`);
  return name;
}

/** The module that an identifier of the file is imported from. */
function moduleOf(name: Node): readonly string[] {
  const local = name.getSymbol()?.getDeclarations() ?? definitionsOf(name);
  return local.flatMap((one) => one.getFirstAncestor(Node.isImportDeclaration)?.getModuleSpecifierValue() ?? []);
}
