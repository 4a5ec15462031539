/** Transports and what serves them: stdio, `handleRequest` of HTTP transports, the entries of 2.x, `bind` of mcp-lite. */
import { type CallExpression, type Identifier, Node, type ParameterDeclaration } from "ts-morph";
import { passPrincipal } from "./auth_info.ts";
import type { Draft } from "./draft.ts";
import { isFn } from "./functions.ts";
import { convertRoutes } from "./routes.ts";
import { bare, definitionsOf, membersOf } from "./registrations.ts";

/** Converts what serves a server: stdio, routes of HTTP, handlers of 2.x, `bind()` of mcp-lite. Other transports are marked. */
export function convertTransports(draft: Draft): void {
  convertRoutes(draft);
  for (const call of callsOf(draft)) {
    const callee = call.getExpression();
    const known = draft.imports.known(callee);
    const rule = known === undefined ? undefined : ENTRIES[known.name];
    if (rule !== undefined && known?.library !== "mcp-lite") rule(draft, call);
    else if (Node.isPropertyAccessExpression(callee) && callee.getName() === "connect") connect(draft, call);
    else if (Node.isPropertyAccessExpression(callee) && callee.getName() === "bind") bind(draft, call);
  }
}

/** Inner calls first: an outer call renders them. */
function callsOf(draft: Draft): readonly CallExpression[] {
  return draft.source.getDescendants().filter(Node.isCallExpression).toSorted((one, other) =>
    other.getStart() - one.getStart()
  );
}

const ENTRIES: Readonly<Record<string, (draft: Draft, call: CallExpression) => void>> = {
  serveStdio: (draft, call) =>
    replaceFactory(draft, call, `${draft.imports.use("toolwire/stdio", "serveStdio")}(`, ")"),
  createMcpHandler: (draft, call) => {
    const [, options] = call.getArguments();
    const names = [...membersOf(options)?.keys() ?? []];
    if (names.includes("responseMode")) draft.note(call, "json-response");
    if (names.some((name) => name !== "responseMode" && name !== "legacy")) draft.todo(call, "transport-options");
    convertNotifier(draft, call);
    replaceFactory(draft, call, "", "");
  },
  toNodeHandler: (draft, call) => {
    draft.replace(call.getExpression(), draft.imports.use("toolwire/serve", "toNodeHandler"));
    dropBody(draft, call);
  },
  createMcpExpressApp: (draft, call) => app(draft, call, "express", true, ""),
  createMcpHonoApp: (draft, call) => app(draft, call, "Hono", false, "new "),
  requireBearerAuth: (draft, call) => draft.todo(call, "auth"),
  mcpAuthMetadataRouter: (draft, call) => draft.todo(call, "auth"),
  mcpAuthRouter: (draft, call) => draft.todo(call, "auth"),
};

/** The server of a factory, which was called for each connection or request. */
function replaceFactory(draft: Draft, call: CallExpression, before: string, after: string): void {
  const [factory] = call.getArguments();
  if (factory === undefined) return draft.todo(call, "transport");
  const declared = Node.isIdentifier(factory) ? definitionsOf(factory) : [factory];
  const fn = declared.map((one) => Node.isVariableDeclaration(one) ? one.getInitializer() : one).find(isFn);
  const text = draft.render(factory);
  const parameters = fn?.getParameters() ?? [];
  const [first] = parameters;
  if (first !== undefined) typeOfEra(draft, first);
  if (first !== undefined && draft.uses(first.getNameNode() as Identifier).length > 0) draft.todo(call, "era");
  const rendered = Node.isIdentifier(factory) ? text : `(${draft.render(factory)})`;
  draft.replace(call, `${before}${rendered}(${first === undefined ? "" : '{ era: "legacy" }'})${after}`);
}

/** A factory was given the request. Its code for older clients is the one that asks in place, as all code does here. */
function typeOfEra(draft: Draft, parameter: ParameterDeclaration): void {
  const type = parameter.getTypeNode();
  const isScript = /\.[cm]?jsx?$/.test(draft.source.getFilePath());
  const isForeign = type !== undefined &&
    [type, ...type.getDescendants()].some((one) => draft.imports.known(one) !== undefined);
  if (!isScript && isForeign) draft.replace(type, ERA);
  else if (!isScript && type === undefined) {
    const fn = parameter.getParent();
    const isBare = draft.source.getFullText()[fn.getStart()] !== "(" && Node.isArrowFunction(fn) && !fn.isAsync();
    draft.replace(parameter, isBare ? `(${parameter.getText()}: ${ERA})` : `${parameter.getText()}: ${ERA}`);
  }
}

const ERA = '{ readonly era: "legacy" | "modern" }';

/** `handler.notify.toolsChanged()` of 2.x. */
function convertNotifier(draft: Draft, call: CallExpression): void {
  const declaration = call.getParent();
  const name = Node.isVariableDeclaration(declaration) ? declaration.getNameNode() : undefined;
  if (!Node.isIdentifier(name)) return;
  for (const use of draft.uses(name)) {
    const access = use.getParent();
    if (!Node.isPropertyAccessExpression(access)) continue;
    if (access.getName() === "bus") draft.todo(use, "server-use");
    if (access.getName() !== "notify") continue;
    const alias = access.getParent();
    const local = Node.isVariableDeclaration(alias) ? alias.getNameNode() : undefined;
    if (!Node.isVariableDeclaration(alias) || !Node.isIdentifier(local)) {
      convertNotice(draft, access, `${use.getText()}.notify`);
      continue;
    }
    const type = alias.getTypeNode();
    if (type !== undefined) draft.edits.overwrite(local.getEnd(), type.getEnd(), "");
    for (const other of draft.uses(local)) convertNotice(draft, other, other.getText());
  }
}

/** `notify.toolsChanged()`. */
function convertNotice(draft: Draft, notifier: Node, text: string): void {
  const method = notifier.getParent();
  const list = Node.isPropertyAccessExpression(method)
    ? /^(tool|resource|prompt)s(List)?Changed$/.exec(method.getName())?.[1]
    : undefined;
  const invoked = method?.getParent();
  if (list !== undefined && Node.isCallExpression(invoked)) draft.replace(invoked, `${text}.listChanged("${list}s")`);
  else if (!Node.isPropertyAccessExpression(method)) draft.todo(notifier, "server-use");
}

/** Handlers of Node take the request and the response alone: the body is read by the server. */
function dropBody(draft: Draft, call: CallExpression): void {
  const declaration = call.getParent();
  const name = Node.isVariableDeclaration(declaration) ? declaration.getNameNode() : undefined;
  if (!Node.isIdentifier(name)) return;
  for (const use of draft.uses(name)) {
    const invoked = use.getParent();
    const args = Node.isCallExpression(invoked) && invoked.getExpression() === use ? invoked.getArguments() : [];
    if (invoked !== undefined && args.length === 3) {
      draft.replace(invoked, `${use.getText()}(${args.slice(0, 2).map((one) => draft.render(one)).join(", ")})`);
    }
  }
}

/** Apps of the SDK are apps of the framework; `hosts` of the server checks host names. */
function app(draft: Draft, call: CallExpression, name: string, isDefault: boolean, keyword: string): void {
  const [options, ...others] = call.getArguments();
  const members = options === undefined ? new Map() : membersOf(options);
  const isKnown = members !== undefined && [...members.keys()].every((one) => one === "host" || one === "allowedHosts");
  if (!isKnown || others.length > 0) draft.todo(call, "transport-options");
  const module = name.toLowerCase();
  const created = `${keyword}${draft.imports.use(module, name, { isDefault })}()`;
  // Routes of the application read what the app of the SDK parsed.
  const parser = isDefault && /\.body\b/.test(draft.render(draft.source)) ? `.use(${created.slice(0, -2)}.json())` : "";
  draft.replace(call, created + parser);
}

/** `server.connect(transport)`. */
function connect(draft: Draft, call: CallExpression): void {
  const [given] = call.getArguments();
  const transport = bare(initializerOf(given));
  if (given === undefined || !Node.isNewExpression(transport)) return;
  const known = draft.imports.known(transport.getExpression());
  if (known === undefined || /Client/.test(known.name)) return;
  if (known.name !== "StdioServerTransport") return draft.todo(call, "transport");
  const callee = call.getExpression();
  const server = Node.isPropertyAccessExpression(callee) ? draft.render(callee.getExpression()) : "";
  const name = draft.imports.use("toolwire/stdio", "serveStdio");
  if (given !== transport) draft.remove(transport.getFirstAncestorOrThrow(Node.isVariableStatement));
  const awaited = call.getParent();
  const statement = awaited?.getParent();
  // `connect` resolved at once; `serveStdio` does when the input has ended.
  const isLast = statement?.getNextSibling() === undefined || !Node.isStatement(statement.getNextSibling());
  if (Node.isAwaitExpression(awaited) && !isLast) draft.replace(awaited, `void ${name}(${server})`);
  else draft.replace(call, `${name}(${server})`);
}

/** `transport.bind(server)` of mcp-lite. */
function bind(draft: Draft, call: CallExpression): void {
  const callee = call.getExpression();
  const object = Node.isPropertyAccessExpression(callee) ? callee.getExpression() : undefined;
  const transport = bare(initializerOf(object));
  const [server] = call.getArguments();
  if (!Node.isNewExpression(transport) || !draft.imports.isAny(transport.getExpression(), "StreamableHttpTransport")) {
    return;
  }
  if (server === undefined) return;
  const names = [...membersOf(transport.getArguments()[0])?.keys() ?? []];
  const isPlain = names.every((name) => name === "sessionAdapter" || name === "clientRequestAdapter");
  const isOwn = /Adapter/.test(transport.getText()) && !/InMemory/.test(transport.getText());
  if (!isPlain || isOwn) draft.keepText(transport, "transport-options");
  if (object !== transport) draft.remove(transport.getFirstAncestorOrThrow(Node.isVariableStatement));
  markCallers(draft, call);
  draft.replace(call, `${draft.render(server)}.fetch`);
}

/** Calls of a bound handler that pass the caller: `handler(request, { authInfo })`. */
function markCallers(draft: Draft, bound: CallExpression): void {
  const declaration = bound.getParent();
  const name = Node.isVariableDeclaration(declaration) ? declaration.getNameNode() : undefined;
  const callees = Node.isIdentifier(name) ? draft.uses(name) : [bound];
  for (const callee of callees) {
    const call = callee.getParent();
    const isCall = Node.isCallExpression(call) && call.getExpression() === callee;
    if (isCall && call.getArguments().length > 1 && !passPrincipal(draft, call)) draft.todo(call, "bound-auth");
  }
}

/** The value of a `const`, or the node. */
function initializerOf(node: Node | undefined): Node | undefined {
  if (!Node.isIdentifier(node)) return node;
  return definitionsOf(node).find(Node.isVariableDeclaration)?.getInitializer();
}
