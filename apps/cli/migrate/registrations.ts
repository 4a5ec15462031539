/** Registrations of tools, resources and prompts, in all forms of the three libraries, as one form. */
import { type CallExpression, Node, type ObjectLiteralExpression, type PropertyAssignment } from "ts-morph";
import { FASTMCP_MEMBERS, type Library } from "./tables.ts";
import { REGISTERING } from "../../../src/core/tool/spellings.ts";

/** What a call registers with a server, and which definition it becomes. */
export type Kind = "tool" | "resource" | "prompt";

/** A call that registers a tool, a resource or a prompt, with the nodes of its arguments as they were written. */
export interface Registration {
  readonly kind: Kind;
  readonly call: CallExpression;
  /** Name, or the URI of a resource of mcp-lite. */
  readonly name: Node | undefined;
  /** URI or `ResourceTemplate` of a resource. */
  readonly uri: Node | undefined;
  /** Members of the configuration, by name. */
  readonly members: ReadonlyMap<string, Node>;
  /** Object of the configuration, whose comments are kept. */
  readonly config: ObjectLiteralExpression | undefined;
  readonly handler: Node | undefined;
  /** Whether the handler has the arguments as its first parameter. */
  readonly hasArgs: boolean;
  /** Schemas of the variables of a resource, by name. */
  readonly validators?: ReadonlyMap<string, Node>;
  /** Name of the variable that has whether a tool is enabled. */
  readonly enabled?: string | undefined;
}

/** Decodes a call of `registerTool()`, `tool()` and the like in any library. `undefined` if its arguments have no known form. */
export function readRegistration(call: CallExpression, method: string, library: Library): Registration | undefined {
  const kind = REGISTERING[method];
  if (kind === undefined) return undefined;
  const args = call.getArguments();
  if (library === "fastmcp") return args.length === 1 ? readFastMcp(call, kind, args[0]) : undefined;
  if (library === "mcp-lite") return readLite(call, kind, args);
  return method.startsWith("register") ? readRegister(call, kind, args) : readShort(call, kind, args);
}

/** All registrations of a call: one, or each of the list of `addTools([…])`. `undefined` if one of them has no known form. */
export function readRegistrations(
  call: CallExpression,
  method: string,
  library: Library,
): readonly Registration[] | undefined {
  const kind = REGISTERING[method];
  const [given, ...others] = call.getArguments();
  if (library !== "fastmcp" || kind === undefined || !method.endsWith("s")) {
    const one = readRegistration(call, method, library);
    return one && [one];
  }
  const list = bare(given);
  if (!Node.isArrayLiteralExpression(list) || others.length > 0) return undefined;
  const all = list.getElements().map((one) => readFastMcp(call, kind, one));
  return all.every((one) => one !== undefined) ? all : undefined;
}

/** `registerTool(name, config, handler)`, `registerResource(name, uri, config, handler)`. */
function readRegister(call: CallExpression, kind: Kind, args: readonly Node[]): Registration | undefined {
  const [name, second] = args;
  const [given, handler] = args.slice(-2);
  const uri = kind === "resource" ? second : undefined;
  const constant = resolveConst(given);
  const config = constant?.getSourceFile() === call.getSourceFile() ? constant : given;
  if (args.length !== (kind === "resource" ? 4 : 3) || !Node.isObjectLiteralExpression(config)) return undefined;
  const members = membersOf(config);
  if (members === undefined) return undefined;
  const schema = members.get(kind === "prompt" ? "argsSchema" : "inputSchema");
  return { kind, call, name, uri, members, config, handler, hasArgs: schema !== undefined };
}

/** The older forms, in which description, schema, annotations and metadata are optional arguments. */
function readShort(call: CallExpression, kind: Kind, args: readonly Node[]): Registration | undefined {
  const [name, ...others] = args;
  const handler = others.pop();
  const members = new Map<string, Node>();
  const uri = kind === "resource" ? others.shift() : undefined;
  const [first] = others;
  if (first !== undefined && kind !== "resource" && !Node.isObjectLiteralExpression(first) && isDescription(others)) {
    members.set("description", first);
    others.shift();
  }
  if (kind === "resource") {
    const metadata = others.length === 0 ? new Map<string, Node>() : membersOf(others[0]);
    if (metadata === undefined) return undefined;
    return { kind, call, name, uri, members: metadata, config: undefined, handler, hasArgs: false };
  }
  const [schema, annotations] = others.length === 1 && isAnnotations(others[0]) ? [undefined, others[0]] : others;
  if (schema !== undefined) members.set(kind === "tool" ? "inputSchema" : "argsSchema", schema);
  if (annotations !== undefined) members.set("annotations", annotations);
  return { kind, call, name, uri, members, config: undefined, handler, hasArgs: schema !== undefined };
}

/** `tool(name, { …, handler })`, `resource(uri, metadata?, validators?, handler)` of mcp-lite. */
function readLite(call: CallExpression, kind: Kind, args: readonly Node[]): Registration | undefined {
  const [name, second, third] = args;
  if (kind === "resource") {
    const handler = args.at(-1);
    const members = args.length > 2 ? membersOf(second) : new Map<string, Node>();
    const validators = args.length === 4 ? membersOf(third) : new Map<string, Node>();
    if (members === undefined || validators === undefined || args.length > 4) return undefined;
    const config = Node.isObjectLiteralExpression(second) ? second : undefined;
    return { kind, call, name: members.get("name"), uri: name, members, config, handler, hasArgs: true, validators };
  }
  if (args.length !== 2 || !Node.isObjectLiteralExpression(second)) return undefined;
  const members = membersOf(second);
  if (members === undefined) return undefined;
  const renamed = new Map([...members].map(([key, value]) => [key === "arguments" ? "argsSchema" : key, value]));
  return {
    kind,
    call,
    name,
    uri: undefined,
    members: renamed,
    config: second,
    handler: members.get("handler"),
    hasArgs: true,
  };
}

/** Decodes the argument of `addTool({ … })`, `addResource({ … })`, `addResourceTemplate({ … })` and `addPrompt({ … })`. */
function readFastMcp(call: CallExpression, kind: Kind, given: Node | undefined): Registration | undefined {
  const config = bare(resolveConst(given));
  const members = membersOf(config);
  if (!Node.isObjectLiteralExpression(config) || members === undefined) return undefined;
  if (config.getSourceFile() !== call.getSourceFile()) return undefined;
  const handler = members.get(kind === "tool" ? "execute" : "load");
  const uri = members.get("uri") ?? members.get("uriTemplate");
  const renamed = [...members].filter(([name]) => !/^(name|uri|uriTemplate|execute|load)$/.test(name));
  return {
    kind,
    call,
    name: members.get("name"),
    uri,
    members: new Map(renamed.map(([name, value]) => [FASTMCP_MEMBERS[name] ?? name, value])),
    config,
    handler,
    hasArgs: members.has("parameters") || kind === "prompt" || members.has("uriTemplate"),
  };
}

/** Comments above a definition in a list. */
export function listComments({ config }: Registration): readonly string[] {
  if (!Node.isArrayLiteralExpression(config?.getParent())) return [];
  return config.getLeadingCommentRanges().map((one) => one.getText());
}

/** Values of an object literal by name; a method is its node. `undefined` for other nodes, and with spreads or accessors. */
export function membersOf(node: Node | undefined): ReadonlyMap<string, Node> | undefined {
  if (!Node.isObjectLiteralExpression(node)) return undefined;
  const members = new Map<string, Node>();
  for (const property of node.getProperties()) {
    if (Node.isPropertyAssignment(property)) members.set(nameOf(property), property.getInitializerOrThrow());
    else if (Node.isShorthandPropertyAssignment(property)) members.set(property.getName(), property.getNameNode());
    else if (Node.isMethodDeclaration(property)) members.set(property.getName(), property);
    else return undefined;
  }
  return members;
}

function nameOf(property: PropertyAssignment): string {
  const name = property.getNameNode();
  return Node.isStringLiteral(name) ? name.getLiteralValue() : name.getText();
}

/** Whether the first of the optional arguments is the description. */
function isDescription([first, second, third]: readonly Node[]): boolean {
  if (first === undefined) return false;
  if (isText(first) || third !== undefined) return true;
  if (Node.isPropertyAccessExpression(first) && /description$/i.test(first.getName())) return true;
  return Node.isObjectLiteralExpression(second) && !isAnnotations(second) && membersOf(second)?.size !== 0;
}

function isText(node: Node): boolean {
  if (Node.isStringLiteral(node) || Node.isNoSubstitutionTemplateLiteral(node) || Node.isTemplateExpression(node)) {
    return true;
  }
  return Node.isBinaryExpression(node) || isTextConstant(node);
}

/** A `const` of this file whose value is a text. */
function isTextConstant(node: Node): boolean {
  const value = resolveConst(node);
  return value !== undefined && value !== node && isText(value);
}

const HINTS = new Set(["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]);

function isAnnotations(node: Node | undefined): boolean {
  const names = [...membersOf(node)?.keys() ?? []];
  return names.length > 0 && names.every((name) => HINTS.has(name)) && names.some((name) => name !== "title");
}

/** The initial value of an identifier's variable, in any converted file; `undefined` if unknown. Other expressions are returned. */
export function resolveConst(node: Node | undefined): Node | undefined {
  if (!Node.isIdentifier(node)) return node;
  for (const definition of definitionsOf(node)) {
    if (Node.isVariableDeclaration(definition)) return definition.getInitializer();
  }
  return undefined;
}

/** An expression without parentheses, `as`, `satisfies` and `!`. */
export function bare(node: Node): Node;
/** Likewise. */
export function bare(node: Node | undefined): Node | undefined;
export function bare(node: Node | undefined): Node | undefined {
  let current = node;
  while (
    Node.isParenthesizedExpression(current) || Node.isAsExpression(current) || Node.isSatisfiesExpression(current) ||
    Node.isNonNullExpression(current)
  ) current = current.getExpression();
  return current;
}

/** Declarations of an identifier, those of other files included. */
export function definitionsOf(node: Node): readonly Node[] {
  const parent = node.getParent();
  const symbol = Node.isShorthandPropertyAssignment(parent) ? parent.getValueSymbol() : node.getSymbol();
  return (symbol?.getAliasedSymbol() ?? symbol)?.getDeclarations() ?? [];
}
