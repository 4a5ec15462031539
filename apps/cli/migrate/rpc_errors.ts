/** Errors with numbers of JSON-RPC: they become errors with codes, and failures where the number is one of the server's. */
import { type Identifier, type NewExpression, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { RPC_CODES } from "./tables.ts";

/** Classes whose arguments are a number, a message and data. */
const NUMBERED: readonly string[] = ["RpcError", "McpError", "ProtocolError"];

/** Objects of the libraries that have the numbers by name. */
const NUMBERS: readonly string[] = ["ErrorCode", "ProtocolErrorCode", "JSON_RPC_ERROR_CODES"];

/** Converts errors of the libraries wherever a file creates, compares or names them. */
export function convertRpcErrors(draft: Draft): void {
  const uses = draft.source.getDescendants().filter(Node.isIdentifier).filter((one) =>
    !Node.isImportSpecifier(one.getParent()) &&
    draft.imports.isAny(one, ...NUMBERED, "ResourceNotFoundError", "UserError")
  );
  // The inner ones first: an outer one renders them.
  for (const use of uses.toReversed()) convertUse(draft, use);
  for (const access of draft.source.getDescendants().filter(Node.isPropertyAccessExpression)) {
    const code = codeOf(draft, access);
    if (code !== undefined && !isArgument(draft, access)) draft.replace(access, JSON.stringify(code));
  }
}

/** The text of an error with the arguments of `new RpcError(…)`. `undefined` if the number is not known here. */
export function errorText(
  draft: Draft,
  number: Node | undefined,
  message: Node | undefined,
  data: Node | undefined,
): string | undefined {
  const code = number === undefined ? undefined : codeOf(draft, number);
  if (code === undefined || message === undefined) return undefined;
  const texts = [JSON.stringify(code), draft.render(message)];
  const isOwn = isFailure(code);
  if (data !== undefined) texts.push(isOwn ? draft.render(data) : `{ details: ${draft.render(data)} }`);
  return `new ${draft.imports.use("toolwire", isOwn ? "Failure" : "ToolError")}(${texts.join(", ")})`;
}

function convertUse(draft: Draft, use: Identifier): void {
  const parent = use.getParent();
  if (Node.isNewExpression(parent) && parent.getExpression() === use) return convertCreated(draft, use, parent);
  const isCompared = Node.isBinaryExpression(parent) && parent.getOperatorToken().getText() === "instanceof";
  const name = draft.imports.isAny(use, "UserError") ? "Failure" : "ToolError";
  if (isCompared || Node.isTypeReference(parent)) draft.replace(use, draft.imports.use("toolwire", name));
  else draft.todo(use, "rpc-error");
}

function convertCreated(draft: Draft, use: Identifier, created: NewExpression): void {
  const args = created.getArguments();
  const [first] = args;
  if (draft.imports.isAny(use, "ResourceNotFoundError")) {
    const text = notFoundText(draft, args);
    if (text === undefined) draft.todo(use, "rpc-error");
    else draft.replace(created, text);
  } else if (draft.imports.isAny(use, "UserError") && first !== undefined) {
    draft.edits.overwrite(use.getStart(), first.getStart(), `${draft.imports.use("toolwire", "Failure")}("failed", `);
  } else convertNumbered(draft, use, created);
}

/** Changes the class, the number and the data. What else is in the arguments may be converted later. */
function convertNumbered(draft: Draft, use: Identifier, created: NewExpression): void {
  const [number, message, data, ...others] = created.getArguments();
  const code = number === undefined ? undefined : codeOf(draft, number);
  if (number === undefined || code === undefined || message === undefined || others.length > 0) {
    return draft.todo(use, "rpc-error");
  }
  draft.replace(use, draft.imports.use("toolwire", isFailure(code) ? "Failure" : "ToolError"));
  draft.replace(number, JSON.stringify(code));
  if (data === undefined || isFailure(code)) return;
  const text = draft.source.getFullText();
  const wrap = (start: number, end: number, change: (between: string) => string) =>
    draft.edits.overwrite(start, end, change(text.slice(start, end)));
  wrap(message.getEnd(), data.getStart(), (between) => `${between}{ details: `);
  wrap(data.getEnd(), created.getEnd(), (between) => ` }${between}`);
}

/** Whether a code is one of the server's, not of Toolwire. */
function isFailure(code: string): boolean {
  return code === "failed" || code.startsWith("error_");
}

/** `new ResourceNotFoundError(uri, message?)` of 2.x. */
function notFoundText(draft: Draft, [uri, message]: readonly Node[]): string | undefined {
  if (uri === undefined) return undefined;
  const text = message === undefined ? `\`Resource not found: \${${draft.render(uri)}}\`` : draft.render(message);
  const error = draft.imports.use("toolwire", "ToolError");
  return `new ${error}("resource_not_found", ${text}, { details: { uri: ${draft.render(uri)} } })`;
}

/** The code for a number: a literal, or a member of an object of the libraries. */
function codeOf(draft: Draft, node: Node): string | undefined {
  if (Node.isPropertyAccessExpression(node)) {
    return draft.imports.isAny(node.getExpression(), ...NUMBERS) ? RPC_CODES[node.getName()] : undefined;
  }
  const literal = node.getText().replaceAll(/[\s_]/g, "");
  return /^-\d+$/.test(literal) ? RPC_CODES[literal] ?? `error_${literal.slice(1)}` : undefined;
}

/** Whether a number is an argument of an error of the library, which is converted, or left, as a whole. */
function isArgument(draft: Draft, node: Node): boolean {
  const parent = node.getParent();
  return Node.isNewExpression(parent) && draft.imports.isAny(parent.getExpression(), ...NUMBERED);
}
