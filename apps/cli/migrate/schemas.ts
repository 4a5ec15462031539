/** Schemas: raw shapes become objects of zod, JSON Schema is named as such, all others stay. Adapters of mcp-lite stay for libraries without JSON Schema. */
import { type NewExpression, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { isFn } from "./functions.ts";
import { jsonSchemaAdder } from "./helpers.ts";
import { bare, definitionsOf, membersOf, resolveConst } from "./registrations.ts";
import { CONVERTIBLE_SCHEMAS, type Library } from "./tables.ts";

/** Converts a schema to text for `.input()` or `.output()`: shapes become objects of zod. `undefined` for a shape without members. */
export function schemaText(
  draft: Draft,
  node: Node,
  library: Library,
  indent: string,
  type?: string,
): string | undefined {
  const value = bare(resolveConst(bare(node)) ?? node);
  if (isJsonSchema(value)) return jsonSchemaText(draft, node, indent, type);
  if (draft.schemaAdapter !== undefined) {
    const [withJsonSchema] = draft.helper(jsonSchemaAdder);
    return `${withJsonSchema}(${draft.renderAt(node, indent)}, ${draft.schemaAdapter})`;
  }
  if (library !== "v1") return convertedText(draft, node, indent);
  const members = membersOf(value);
  if (members?.size === 0) return undefined;
  if (Node.isObjectLiteralExpression(value)) return `${zodName(draft)}.object(${draft.renderAt(node, indent)})`;
  // The shape of an object of zod.
  if (Node.isPropertyAccessExpression(value) && value.getName() === "shape") {
    return draft.renderAt(value.getExpression(), indent);
  }
  if (Node.isIdentifier(value) || Node.isPropertyAccessExpression(value)) draft.todo(node, "schema");
  return draft.renderAt(node, indent);
}

/** `fromJsonSchema(schema)` of 2.x, or `jsonSchemaAdapter(schema)` of FastMCP, is `jsonSchema(schema)`. */
function convertedText(draft: Draft, node: Node, indent: string): string {
  if (Node.isCallExpression(node) && draft.imports.isAny(node.getExpression(), "fromJsonSchema", "jsonSchemaAdapter")) {
    draft.replace(node.getExpression(), draft.imports.use("toolwire/json-schema", "jsonSchema"));
  }
  return draft.renderAt(node, indent);
}

/** Returns `jsonSchema<Type>(…)` around the text of a node, and imports `jsonSchema`. */
export function jsonSchemaText(draft: Draft, node: Node, indent: string, type?: string): string {
  const name = draft.imports.use("toolwire/json-schema", "jsonSchema");
  return `${name}${type === undefined ? "" : `<${type}>`}(${draft.renderAt(node, indent)})`;
}

/** Whether an object literal is JSON Schema, and not a shape of schemas: its `type` is a string. */
export function isJsonSchema(node: Node | undefined): boolean {
  const type = membersOf(bare(node))?.get("type");
  return type !== undefined && Node.isStringLiteral(bare(type));
}

/** Name under which the file imports zod. */
function zodName(draft: Draft): string {
  for (const declaration of draft.source.getImportDeclarations()) {
    if (!/^zod(\/|$)/.test(declaration.getModuleSpecifierValue())) continue;
    const named = declaration.getNamedImports().find((one) => one.getName() === "z");
    const node = named?.getAliasNode() ?? named?.getNameNode() ?? declaration.getNamespaceImport() ??
      declaration.getDefaultImport();
    if (node !== undefined) return node.getText();
  }
  return draft.imports.use("zod", "z");
}

/** Replaces `completable(schema, complete)` in a schema by `schema`, and returns the texts of the completers by name of argument. */
export function takeCompleters(draft: Draft, schema: Node): ReadonlyMap<string, string> {
  const completers = new Map<string, string>();
  for (const call of [schema, ...schema.getDescendants()].filter(Node.isCallExpression)) {
    if (!draft.imports.isAny(call.getExpression(), "completable")) continue;
    const [inner, complete] = call.getArguments();
    const property = call.getFirstAncestor(Node.isPropertyAssignment);
    if (inner === undefined || complete === undefined || property === undefined) continue;
    completers.set(property.getNameNode().getText(), completerText(draft, complete));
    draft.replace(call, draft.render(inner));
  }
  return completers;
}

/** The text of a completer. Other arguments, which are in a second parameter, are the third here. */
export function completerText(draft: Draft, complete: Node): string {
  if (!Node.isArrowFunction(complete) && !Node.isFunctionExpression(complete)) return draft.render(complete);
  const [value, context] = complete.getParameters();
  if (value === undefined || context === undefined) return draft.render(complete);
  const name = context.getNameNode();
  const accesses = Node.isIdentifier(name) ? draft.uses(name).map((use) => use.getParent()) : [undefined];
  const isKnown = accesses.every((one) => Node.isPropertyAccessExpression(one) && one.getName() === "arguments");
  if (!isKnown) draft.todo(complete, "context");
  else {
    for (const access of accesses) if (access !== undefined) draft.replace(access, "otherArguments");
    draft.replace(context, "_ctx, otherArguments");
  }
  return draft.render(complete);
}

/** The text of the `schemaAdapter` of a server of mcp-lite. `undefined` if it is missing, or its schemas have a JSON form here. */
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
  draft.insertBefore(at, `const ${name}${type} = ${draft.render(adapter)};${draft.eol}${draft.eol}`);
  return name;
}

/** The module that an identifier of the file is imported from. */
function moduleOf(name: Node): readonly string[] {
  const local = name.getSymbol()?.getDeclarations() ?? definitionsOf(name);
  return local.flatMap((one) => one.getFirstAncestor(Node.isImportDeclaration)?.getModuleSpecifierValue() ?? []);
}
