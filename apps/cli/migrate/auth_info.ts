/** `authInfo` of the official SDK and of mcp-lite: the application passes it as the principal, and handlers read it from there. */
import { type CallExpression, Node } from "ts-morph";
import type { Draft, HelperWriter } from "./draft.ts";
import type { Handler } from "./handler.ts";
import { membersOf } from "./registrations.ts";

/** Members that a caller has here. The token itself is not kept: claims are stored with promised work. */
const KEPT: ReadonlySet<string> = new Set(["clientId", "scopes", "extra"]);

/** Converts a use of `ctx.authInfo`, or of what a pattern took out of the context. */
export function convertAuthInfo({ draft, context }: Handler, node: Node): void {
  replaceAuthInfo(draft, node, context);
}

/** Converts `ctx.authInfo` in a function whose first parameter is the context, as middleware of mcp-lite. */
export function convertAuthInfoIn(draft: Draft, parameter: Node | undefined): void {
  if (!Node.isIdentifier(parameter)) return;
  for (const use of draft.uses(parameter)) {
    const access = use.getParent();
    const isRead = Node.isPropertyAccessExpression(access) && access.getName() === "authInfo";
    if (isRead && access.getExpression() === use) replaceAuthInfo(draft, access, use.getText());
  }
}

function replaceAuthInfo(draft: Draft, node: Node, context: string): void {
  const access = node.getParent();
  const member = Node.isPropertyAccessExpression(access) && access.getExpression() === node
    ? access.getName()
    : "scopes";
  if (!KEPT.has(member)) draft.todo(node, "auth-info");
  const [authInfoOf] = draft.helper(authInfoReader);
  const isShorthand = Node.isShorthandPropertyAssignment(access);
  draft.replace(node, `${isShorthand ? `${node.getText()}: ` : ""}${authInfoOf}(${context})`);
}

/** Converts `handler(request, { authInfo })` to `handler(request, { principal })`. Whether it is such a call. */
export function passPrincipal(draft: Draft, call: CallExpression): boolean {
  const [, options] = call.getArguments();
  const members = membersOf(options);
  const authInfo = members?.get("authInfo");
  if (options === undefined || members?.size !== 1 || authInfo === undefined) return false;
  draft.replace(options, `{ principal: ${principalText(draft, draft.render(authInfo))} }`);
  return true;
}

/** Option of `toNodeHandler()` for routes behind `requireBearerAuth()` of the official SDK, which sets `req.auth`. */
export function nodePrincipal(draft: Draft): string {
  const isProtected = draft.source.getDescendants().filter(Node.isIdentifier).some((one) =>
    !Node.isImportSpecifier(one.getParent()) && draft.imports.isAny(one, "requireBearerAuth")
  );
  if (!isProtected) return "";
  const request = isScript(draft) ? "req" : `req: { auth?: ${AUTH_INFO} }`;
  // The middleware decides who may call, as before: on a route without it callers are anonymous.
  return `, allowAnonymous: true, principal: (${request}) => ${principalText(draft, "req.auth")}`;
}

function principalText(draft: Draft, authInfo: string): string {
  const [principalOf] = draft.helper(principalMaker);
  return `${principalOf}(${authInfo})`;
}

function isScript(draft: Draft): boolean {
  return /\.[cm]?jsx?$/.test(draft.source.getFilePath());
}

/** Type of `authInfo`, as both versions of the SDK declare it. */
const AUTH_INFO =
  "{ token: string; scopes: string[]; clientId?: string; extra?: Record<string, unknown> | undefined } | undefined";

/** Writes `principalOf(authInfo)`: the caller that the application has authenticated. */
const principalMaker: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("principalOf", "principalOfAuth");
  const hash = draft.imports.use("node:crypto", "createHash");
  const { unit } = draft;
  const [type, members] = isScript ? ["", ""] : [`: ${AUTH_INFO}`, ": Record<string, unknown>"];
  const lines = [
    "/** The caller that the application has authenticated. Without the id of a user, each token is a caller. */",
    `function ${name}(authInfo${type}) {`,
    `${unit}if (authInfo === undefined) return undefined;`,
    `${unit}const { token, scopes, clientId, extra } = authInfo;`,
    `${unit}const { userId, sub = userId }${members} = extra ?? {};`,
    `${unit}const digest = () => ${hash}("sha256").update(token).digest("base64url");`,
    `${unit}return { id: String(sub ?? digest()), scopes, claims: { clientId, extra } };`,
    "}",
  ];
  return { names: [name], lines };
};

/** Writes `authInfoOf(ctx)`: what the application has authenticated, without the token. */
const authInfoReader: HelperWriter = (draft, isScript) => {
  const name = draft.freeName("authInfoOf", "authInfoOfCall");
  const { unit } = draft;
  const given = isScript
    ? "ctx"
    : "ctx: { readonly principal?: { readonly scopes?: readonly string[] | undefined; readonly claims?: object | undefined } | undefined }";
  const claims = isScript ? "" : " as { clientId: string; extra?: Record<string, unknown> } | undefined";
  const lines = [
    "/** What the application has authenticated, without the token: it is in the claims of the caller. */",
    `function ${name}(${given}) {`,
    `${unit}const claims = ctx.principal?.claims${claims};`,
    `${unit}return claims && { clientId: claims.clientId, scopes: [...ctx.principal?.scopes ?? []], extra: claims.extra };`,
    "}",
  ];
  return { names: [name], lines };
};
