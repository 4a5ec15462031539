/** Sessions of FastMCP: `authenticate` becomes the option `auth`, and what it gives for a caller is in the caller's claims. */
import { type CallExpression, type NewExpression, Node, type Statement } from "ts-morph";
import type { Draft, HelperWriter } from "./draft.ts";
import { isFn } from "./functions.ts";
import type { Handler } from "./handler.ts";
import { membersOf } from "./registrations.ts";

/** Members of Node's requests that the converted function receives. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set(["headers", "method", "url"]);

/** Type of the sessions of FastMCP, as the file names it. */
export function sessionTypeOf(draft: Draft): string | undefined {
  const nodes = draft.source.getDescendants();
  const created = nodes.filter(Node.isNewExpression).filter((one) =>
    draft.imports.isAny(one.getExpression(), "FastMCP")
  );
  const named = nodes.filter(Node.isTypeReference).filter((one) =>
    draft.imports.isAny(one.getTypeName(), "FastMCP", "Context")
  );
  return [...created, ...named].flatMap((one) => one.getTypeArguments()).at(0)?.getText();
}

/** Takes `authenticate` out of the options. A function that is written there becomes a constant before the server. */
export function takeAuthenticate(draft: Draft, created: NewExpression): void {
  const value = membersOf(created.getArguments()[0])?.get("authenticate");
  if (value !== undefined) draft.identify = identifierOf(draft, created, value);
}

/** Text of the option `auth` for the function that `authenticate` was. */
export function authText(draft: Draft, identify: string): string {
  const [byFunction] = draft.helper(sessionAuthenticator);
  return `auth: ${byFunction}(${identify})`;
}

/** Text of an `auth` that refuses all callers: what identified them is not converted, and a server that had keys must not be open. */
export function closedText(draft: Draft): string {
  return `auth: ${draft.imports.use("toolwire/auth", "authenticate")}(() => undefined)`;
}

function identifierOf(draft: Draft, created: NewExpression, value: Node): string {
  markMembers(draft, value);
  if (!isFn(value)) return draft.render(value);
  const name = draft.freeName("identifySession", "identifySessionOf");
  const statement = created.getFirstAncestorOrThrow(Node.isStatement) as Statement;
  const text = draft.render(value);
  const fn = Node.isMethodDeclaration(value) ? text.replace(/^(async\s+)?\w+/, "$1function ") : text;
  const type = isScript(draft) ? "" : `: ${functionType(draft)}`;
  draft.insertBefore(statement, `const ${name}${type} = ${dedented(draft, fn, value)};${draft.eol}${draft.eol}`);
  return name;
}

/** A function at the level of its file. */
function dedented(draft: Draft, text: string, node: Node): string {
  const indent = draft.indentOf(node);
  return text.split("\n").map((line) => line.startsWith(indent) ? line.slice(indent.length) : line).join("\n");
}

/** Members of a request that there are none of here. */
function markMembers(draft: Draft, value: Node): void {
  const parameter = isFn(value) ? value.getParameters()[0]?.getNameNode() : undefined;
  if (!Node.isIdentifier(parameter)) return;
  for (const use of draft.uses(parameter)) {
    const access = use.getParent();
    const isMember = Node.isPropertyAccessExpression(access) && access.getExpression() === use;
    if (isMember && !KNOWN_MEMBERS.has(access.getName())) draft.todo(use, "request-members");
  }
}

/** Converts `canAccess` to the argument of `.visibleTo()`. */
export function accessText(draft: Draft, canAccess: Node, indent: string): string {
  const [visibleIf] = draft.helper(accessReader);
  const text = draft.renderAt(canAccess, indent);
  return `${visibleIf}(${Node.isMethodDeclaration(canAccess) ? `function ${text}` : text})`;
}

/** Converts a use of `session` in a context, or of what a pattern took out of it: a constant at the start of the handler has it. */
export function convertSessionUse(handler: Handler, node: Node, isLocal: boolean): void {
  const { draft, fn } = handler;
  if (!Node.isBlock(fn.getBody())) return replaceUse(draft, node, sessionCall(handler));
  const name = isLocal ? node.getText() : handler.sessionName;
  declareSession(handler, name, "");
  if (!isLocal) replaceUse(draft, node, name);
}

/** The parameter with the session of `load`, or the pattern of it in a context. */
function declareSession(handler: Handler, pattern: string, fallback: string): void {
  const { draft, fn } = handler;
  const body = fn.getBody();
  if (!Node.isBlock(body)) return;
  const text = `const ${pattern} = ${sessionCall(handler)}${fallback};`;
  draft.edits.insert(body.getStart() + 1, `${draft.eol}${draft.indentOf(fn)}${draft.unit}${text}`);
}

/** The session that is a parameter of a `load`. */
export function convertSessionParameter(handler: Handler, name: Node): void {
  const { draft, fn } = handler;
  if (!Node.isIdentifier(name)) {
    const type = isScript(draft) ? "" : ` as ${sessionType(draft)}`;
    return Node.isBlock(fn.getBody())
      ? declareSession(handler, name.getText(), ` ?? ({}${type})`)
      : draft.todo(name, "auth-info");
  }
  for (const use of draft.uses(name)) convertSessionUse(handler, use, true);
}

function sessionCall(handler: Handler): string {
  const [sessionOf] = handler.draft.helper(sessionReader);
  return `${sessionOf}(${handler.context})`;
}

function replaceUse(draft: Draft, node: Node, text: string): void {
  const isShorthand = Node.isShorthandPropertyAssignment(node.getParent());
  draft.replace(node, isShorthand ? `${node.getText()}: ${text}` : text);
}

/** Text of `serveStdio(…)`: FastMCP called `authenticate` without a request for the user who started the program. */
export function stdioText(draft: Draft, server: string, call: CallExpression): string {
  const serveStdio = draft.imports.use("toolwire/stdio", "serveStdio");
  if (draft.identify === undefined) return `${serveStdio}(${server})`;
  const [localCaller] = draft.helper(localIdentifier);
  const caller = `${localCaller}(${draft.identify})`;
  const fn = call.getFirstAncestor(isFn);
  const canAwait = fn === undefined || fn.isAsync();
  return canAwait
    ? `${serveStdio}(${server}, { principal: await ${caller} })`
    : `${caller}.then((principal) => ${serveStdio}(${server}, { principal }))`;
}

function isScript(draft: Draft): boolean {
  return /\.[cm]?jsx?$/.test(draft.source.getFilePath());
}

function sessionType(draft: Draft): string {
  return draft.sessionType ?? "Record<string, unknown>";
}

function functionType(draft: Draft): string {
  const request = draft.imports.use("node:http", "IncomingMessage", { isType: true });
  return `(request: ${request}) => Promise<${sessionType(draft)} | null | undefined>`;
}

/** Writes `sessionOf(ctx)`: the session of a call. */
const sessionReader: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("sessionOf", "sessionOfCall");
  const type = sessionType(draft);
  const { unit } = draft;
  const given = isScript ? "ctx" : "ctx: { readonly principal?: { readonly claims?: object | undefined } | undefined }";
  const lines = [
    "/** The session of a call: the claims of its caller. */",
    isScript ? `function ${name}(${given}) {` : `function ${name}(${given}): ${type} | undefined {`,
    `${unit}return ctx.principal?.claims${isScript ? "" : ` as ${type} | undefined`};`,
    "}",
  ];
  return { names: [name], lines };
};

/** Writes `visibleIf(canAccess)`: whether a tool is shown to a caller. FastMCP shows all tools to callers without a session. */
const accessReader: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("visibleIf", "visibleIfAccessible");
  const type = sessionType(draft);
  const { unit } = draft;
  const lines = isScript
    ? [
      `function ${name}(canAccess) {`,
      `${unit}return (principal) => principal?.claims === undefined || canAccess(principal.claims);`,
      "}",
    ]
    : [
      `function ${name}(canAccess: (session: ${type}) => boolean) {`,
      `${unit}return (principal: { readonly claims?: object | undefined } | undefined) =>`,
      `${unit}${unit}principal?.claims === undefined || canAccess(principal.claims as ${type});`,
      "}",
    ];
  return {
    names: [name],
    lines: ["/** Shows a tool to sessions that may use it, and to callers without one. */", ...lines],
  };
};

/** Writes `callerOf(session)`: the caller with a session in its claims. */
const callerMaker: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("callerOf", "callerOfSession");
  const hash = draft.imports.use("node:crypto", "createHash");
  const { unit } = draft;
  const [type, members, claims] = isScript
    ? ["", "", ""]
    : [`: ${sessionType(draft)} | null | undefined`, ": Record<string, unknown>", " as object"];
  const lines = [
    "/** The caller of a session, which is in its claims. Without an id, callers with equal sessions are one caller. */",
    `function ${name}(session${type}) {`,
    `${unit}const { authenticated = true, userId, sub, id = userId ?? sub, scopes }${members} = { ...session };`,
    `${unit}if (session === undefined || session === null || !authenticated) return undefined;`,
    `${unit}const digest = () => ${hash}("sha256").update(JSON.stringify(session)).digest("base64url");`,
    `${unit}return { id: String(id ?? digest()), scopes: Array.isArray(scopes) ? scopes.map(String) : [], claims: session${claims} };`,
    "}",
  ];
  return { names: [name], lines };
};

/** Writes `authenticateBy(identify)`: an `auth` that calls the function that `authenticate` was. */
const sessionAuthenticator: HelperWriter = (draft, isScript) => {
  const [callerOf] = draft.helper(callerMaker);
  const name = draft.freeName("authenticateBy", "authenticateByRequest");
  const authenticate = draft.imports.use("toolwire/auth", "authenticate");
  const [type, request] = isScript
    ? ["", ""]
    : [`: ${functionType(draft)}`, ` as ${draft.imports.use("node:http", "IncomingMessage", { isType: true })}`];
  const { unit } = draft;
  const lines = [
    "/** Identifies callers by a function that FastMCP called with a request: it receives the headers, the method and the path. */",
    `function ${name}(identify${type}) {`,
    `${unit}return ${authenticate}(async ({ method, path, metadata }) => {`,
    `${unit}${unit}const headers = new Proxy({}, { get: (_, name) => metadata.get(String(name)) ?? undefined });`,
    `${unit}${unit}try {`,
    `${unit}${unit}${unit}return ${callerOf}(await identify({ headers, method, url: path }${request}));`,
    `${unit}${unit}} catch (thrown) {`,
    `${unit}${unit}${unit}if (thrown instanceof Response) return undefined; // the caller gets 401`,
    `${unit}${unit}${unit}throw thrown;`,
    `${unit}${unit}}`,
    `${unit}});`,
    "}",
  ];
  return { names: [name], lines };
};

/** Writes `localCaller(identify)`: the caller over stdio. */
const localIdentifier: HelperWriter = (draft, isScript) => {
  const [callerOf] = draft.helper(callerMaker);
  const name = draft.freeName("localCaller", "localCallerOf");
  const { unit } = draft;
  const [type, nothing] = isScript ? ["", "undefined"] : [`: ${functionType(draft)}`, "undefined as never"];
  const lines = [
    "/** The caller over stdio, where there is no request. If it has no session, it is the user who started the program. */",
    `async function ${name}(identify${type}) {`,
    `${unit}try {`,
    `${unit}${unit}return ${callerOf}(await identify(${nothing}));`,
    `${unit}} catch {`,
    `${unit}${unit}return undefined;`,
    `${unit}}`,
    "}",
  ];
  return { names: [name], lines };
};
