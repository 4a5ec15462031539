/** Functions that hand a request to an HTTP transport: the server answers in their place, with sessions and streams. */
import { type CallExpression, type Identifier, Node, type ParameterDeclaration, type Statement } from "ts-morph";
import { nodePrincipal } from "./auth_info.ts";
import type { Draft } from "./draft.ts";
import { type Fn, isFn } from "./functions.ts";
import { bare, definitionsOf } from "./registrations.ts";
import { HTTP_TRANSPORTS } from "./tables.ts";

/** A handler of an HTTP route that passes requests to a transport. */
interface Route {
  readonly fn: Fn;
  /** The request that it hands over: `req`, `c.req.raw`. */
  readonly request: Node;
  readonly isNode: boolean;
}

/** Functions whose work the server does. Calls of others are marked. */
const GLUE = new RegExp(
  "^(" + [
    "isLegacyRequest|toWebRequest|toNodeHandler|handleLegacy|modern\\w*|validate\\w+|catch|handleRequest|connect|close|isInitializeRequest|randomUUID|get|set|has|delete|some|log|error|warn|info|debug",
    "status|json|send|end|on|writeHead|setHeader|sendStatus|set|push|isArray|String|stringify|text|header|cors|next",
  ].join("|") + ")$",
);

/** Replaces functions that hand requests to an HTTP transport of the SDK by one server. Unknown work in them is marked for a person. */
export function convertRoutes(draft: Draft): void {
  const isServing = draft.source.getDescendants().filter(Node.isIdentifier).some((one) =>
    draft.imports.isAny(one, ...HTTP_TRANSPORTS)
  );
  const routes = isServing ? routesOf(draft) : [];
  if (routes.length === 0) return;
  const server = serverOf(draft, routes);
  if (server === undefined) {
    for (const { fn } of routes) draft.todo(fn, "glue");
    return;
  }
  for (const route of routes) checkGlue(draft, route, server.factory);
  const name = hoist(draft, routes, server.text);
  for (const route of routes) replaceRoute(draft, route, name);
  removeLeftovers(draft, routes);
}

/** Functions with a request of theirs that is handed over. */
function routesOf(draft: Draft): readonly Route[] {
  const routes = new Map<Fn, Route>();
  for (const call of draft.source.getDescendants().filter(Node.isCallExpression)) {
    const callee = call.getExpression();
    if (!Node.isPropertyAccessExpression(callee) || callee.getName() !== "handleRequest") continue;
    const [request, ...others] = call.getArguments();
    const owner = request === undefined ? undefined : ownerOf(request);
    if (request !== undefined && owner !== undefined && !routes.has(owner)) {
      const isNode = others.length > 0 && Node.isIdentifier(request);
      routes.set(owner, { fn: owner, request, isNode });
    }
  }
  for (const owner of chooserFns(draft)) {
    const request = owner.getParameters()[0]?.getNameNode();
    if (request !== undefined) routes.set(owner, { fn: owner, request, isNode: true });
  }
  return [...routes.values()];
}

/** Functions of Node that choose a server by the revision of the request. One server answers all. */
function chooserFns(draft: Draft): readonly Fn[] {
  const calls = draft.source.getDescendants().filter(Node.isCallExpression);
  const choosing = calls.filter((call) => draft.imports.isAny(call.getExpression(), "isLegacyRequest"));
  const owners = choosing.map((call) => call.getAncestors().filter(isFn).find((fn) => fn.getParameters().length >= 2));
  return owners.filter((one) => one !== undefined);
}

/** The function whose parameter an expression begins with. */
function ownerOf(node: Node): Fn | undefined {
  let root = node;
  while (Node.isPropertyAccessExpression(root)) root = root.getExpression();
  const parameter = definitionsOf(root).find((one): one is ParameterDeclaration => Node.isParameterDeclaration(one));
  const owner = parameter?.getParent();
  return isFn(owner) ? owner : undefined;
}

/** What was connected to the transports: a server, or the call of a factory. */
function serverOf(
  draft: Draft,
  routes: readonly Route[],
): { readonly text: string; readonly factory: string } | undefined {
  const calls = routes.flatMap(({ fn }) => [...fn.getDescendants().filter(Node.isCallExpression)]);
  const connected = [...calls, ...draft.source.getDescendants().filter(Node.isCallExpression)].find(isConnect);
  const callee = connected?.getExpression();
  const server = Node.isPropertyAccessExpression(callee) ? callee.getExpression() : undefined;
  if (server === undefined) return undefined;
  const value = Node.isIdentifier(server) ? localValue(server, routes) ?? server : server;
  const isCall = Node.isCallExpression(value);
  if (!isCall) return { text: draft.render(value), factory: value.getText() };
  const args = value.getArguments().map((one) => bare(one));
  if (!args.every((one) => Node.isStringLiteral(one) || Node.isObjectLiteralExpression(one))) return undefined;
  const factory = value.getExpression().getText();
  return { text: `${factory}(${args.map((one) => one.getText()).join(", ")})`, factory };
}

function isConnect(call: CallExpression): boolean {
  const callee = call.getExpression();
  return Node.isPropertyAccessExpression(callee) && callee.getName() === "connect" && call.getArguments().length === 1;
}

/** The value of a `const` in a route. */
function localValue(name: Identifier, routes: readonly Route[]): Node | undefined {
  const declaration = definitionsOf(name).find(Node.isVariableDeclaration);
  const isLocal = declaration !== undefined && routes.some(({ fn }) => declaration.getAncestors().includes(fn));
  return isLocal ? declaration.getInitializer() : undefined;
}

/** Marks a route that calls anything but what handles transports. */
function checkGlue(draft: Draft, { fn }: Route, factory: string): void {
  for (const call of fn.getDescendants().filter(Node.isCallExpression)) {
    const callee = call.getExpression();
    const name = Node.isPropertyAccessExpression(callee) ? callee.getName() : callee.getText();
    if (name !== factory && !GLUE.test(name)) return draft.keepText(fn, "glue");
  }
}

/** One server for all requests: the name of a `const` before the first route. */
function hoist(
  draft: Draft,
  routes: readonly Route[],
  server: string,
): { readonly server: string; readonly handler: string } {
  const isNode = routes.some((one) => one.isNode);
  const first = routes.map(({ fn }) => outermost(fn)).toSorted((one, other) => one.getStart() - other.getStart())[0];
  const isName = /^[\w$]+$/.test(server);
  const name = isName ? server : draft.freeName("server", "mcpServer", "toolwireServer");
  const lines = isName ? [] : [`const ${name} = ${server};`];
  const handler = isNode ? draft.freeName("handleMcp") : name;
  if (isNode) {
    lines.push(
      `const ${handler} = ${draft.imports.use("toolwire/serve", "toNodeHandler")}(${name}, { closeWithListener: true${
        nodePrincipal(draft)
      } });`,
    );
  }
  if (first !== undefined && lines.length > 0) {
    const at = startWithComments(first);
    const indent = draft.indentOf(first);
    draft.edits.insert(at, lines.map((line) => `${line}${draft.eol}${indent}`).join(""));
  }
  return { server: name, handler };
}

/** The statement of a route, not within another function. */
function outermost(fn: Fn): Statement {
  const statements = [fn, ...fn.getAncestors()].filter(Node.isStatement).filter((one) => !Node.isBlock(one));
  const outer = statements.find((one) => Node.isSourceFile(one.getParent()) || isFn(one.getParent()?.getParent()));
  return outer ?? fn.getFirstAncestorOrThrow(Node.isStatement);
}

function startWithComments(statement: Statement): number {
  return statement.getLeadingCommentRanges()[0]?.getPos() ?? statement.getStart();
}

function replaceRoute(
  draft: Draft,
  { fn, request, isNode }: Route,
  name: { readonly server: string; readonly handler: string },
): void {
  const body = fn.getBody();
  const [first, second] = fn.getParameters();
  const response = second?.getName() ?? "res";
  const isDeclared = Node.isFunctionDeclaration(fn) || Node.isMethodDeclaration(fn);
  const call = isNode
    ? `${name.handler}(${request.getText()}, ${response})`
    : `${name.server}.fetch(${request.getText()})`;
  if (isDeclared) {
    const { eol, unit } = draft;
    const indent = draft.indentOf(fn);
    if (body !== undefined) {
      draft.replace(body, `{${eol}${indent}${unit}${isNode ? "" : "return await "}${call};${eol}${indent}}`);
    }
  } else draft.replace(fn, isNode ? name.handler : `(${first?.getText() ?? ""}) => ${call}`);
}

/** Removes what only kept transports: maps, stores, and the loops over them. */
function removeLeftovers(draft: Draft, routes: readonly Route[]): void {
  const isReplaced = (node: Node) => routes.some(({ fn }) => node === fn || node.getAncestors().includes(fn));
  for (const declaration of draft.source.getDescendants().filter(Node.isVariableDeclaration)) {
    const name = declaration.getNameNode();
    const value = declaration.getInitializer();
    if (!Node.isIdentifier(name) || !keepsTransports(draft, value) || isReplaced(declaration)) continue;
    const uses = draft.uses(name);
    const rest = uses.filter((use) => !isReplaced(use));
    if (uses.length === rest.length) continue;
    const loops = rest.map((use) => use.getFirstAncestor(Node.isIterationStatement));
    if (loops.some((loop) => loop === undefined)) {
      for (const use of rest) draft.todo(use, "glue");
      continue;
    }
    for (const loop of new Set(loops)) if (loop !== undefined) draft.remove(loop);
    draft.remove(declaration.getVariableStatementOrThrow());
  }
}

/** Whether a value is an empty collection, or a store of events. Another one may be work of the application. */
function keepsTransports(draft: Draft, value: Node | undefined): boolean {
  if (Node.isObjectLiteralExpression(value)) return value.getProperties().length === 0;
  if (!Node.isNewExpression(value)) return false;
  const created = value.getExpression();
  const isCollection = /^(Map|Set|WeakMap|WeakSet)$/.test(created.getText()) && value.getArguments().length === 0;
  return isCollection || /EventStore$/.test(created.getText()) || draft.imports.isAny(created, ...HTTP_TRANSPORTS);
}
