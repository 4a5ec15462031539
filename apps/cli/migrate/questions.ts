/** Questions of a handler: elicitation, sampling and roots, in place and by rounds. A function of the file runs the rounds of 2.x. */
import { type CallExpression, type Identifier, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { type Fn, isFn } from "./functions.ts";
import type { Handler } from "./handler.ts";
import { roundRunner } from "./helpers.ts";
import { bare, membersOf, resolveConst } from "./registrations.ts";
import { isJsonSchema, jsonSchemaText } from "./schemas.ts";

/** Converts `elicitInput(params)` and `ctx.elicit({ message, schema })` to `ctx.elicit(key, …)`, or `ctx.elicitUrl(key, …)` for pages. */
export function convertElicit(handler: Handler, call: CallExpression): void {
  elicit(handler, call, call.getArguments()[0]);
}

/** Converts `createMessage(params)` and `ctx.sample(params)` to `ctx.sample(key, …)`. A declined request throws a `Failure`. */
export function convertSample(handler: Handler, call: CallExpression): void {
  sample(handler, call, call.getArguments()[0]);
}

/** Converts `listRoots()` to `ctx.roots()`. A declined request throws a `Failure`. */
export function convertRoots(handler: Handler, call: CallExpression): void {
  keepOptions(handler, call);
  accept(handler, call, `${handler.context}.roots()`, "roots");
}

/** Converts `throw new UrlElicitationRequiredError([page])` to `ctx.elicitUrl()` and a `Failure`, after which the caller calls again. */
export function convertUrlErrors(handler: Handler): void {
  const { draft, fn } = handler;
  for (const statement of fn.getDescendants().filter(Node.isThrowStatement)) {
    const thrown = statement.getExpression();
    if (!Node.isNewExpression(thrown) || statement.getFirstAncestor(isFn) !== fn) continue;
    if (!draft.imports.isAny(thrown.getExpression(), "UrlElicitationRequiredError")) continue;
    const pages = bare(thrown.getArguments()[0]);
    const [page, ...others] = Node.isArrayLiteralExpression(pages) ? pages.getElements() : [];
    const members = membersOf(bare(page));
    const [message, url] = [members?.get("message"), members?.get("url")];
    if (message === undefined || url === undefined || others.length > 0) {
      draft.todo(statement, "question");
      continue;
    }
    const request = `{ message: ${draft.render(message)}, url: ${draft.render(url)} }`;
    const asked = `await ${handler.context}.elicitUrl(${handler.nextKey("page")}, ${request});`;
    const failure = draft.imports.use("toolwire", "Failure");
    const text = `throw new ${failure}("failed", "Call the tool again when the page was answered");`;
    draft.note(statement, "rerun");
    draft.replace(statement, `${asked}${draft.eol}${draft.indentOf(statement)}${text}`);
    if (!fn.isAsync()) makeAsync(draft, fn);
  }
}

/** The first word is replaced: an insertion before the function would belong to what surrounds it. */
function makeAsync(draft: Draft, fn: Fn): void {
  const start = fn.getStart();
  const [first] = /^(\(|function\b)/.exec(draft.source.getFullText().slice(start)) ?? [];
  if (first === undefined) draft.todo(fn, "handler");
  else draft.edits.overwrite(start, start + first.length, `async ${first}`);
}

/** Converts `sendRequest({ method, params }, schema)` by its method to `ctx.elicit()`, `ctx.sample()` or `ctx.roots()`. */
export function convertRequest(handler: Handler, call: CallExpression): void {
  const members = membersOf(bare(call.getArguments()[0]));
  const method = bare(members?.get("method"));
  const name = Node.isStringLiteral(method) ? method.getLiteralValue() : "";
  const parameters = members?.get("params");
  if (name === "elicitation/create") elicit(handler, call, parameters);
  else if (name === "sampling/createMessage") sample(handler, call, parameters);
  else if (name === "roots/list") convertRoots(handler, call);
  else handler.draft.todo(call, "question");
}

function elicit(handler: Handler, call: CallExpression, parameters: Node | undefined): void {
  const { draft } = handler;
  const members = membersOf(bare(resolveConst(bare(parameters))));
  const message = members?.get("message");
  const [schema, url] = [members?.get("requestedSchema") ?? members?.get("schema"), members?.get("url")];
  if (message === undefined || (schema === undefined && url === undefined)) return draft.todo(call, "question");
  begin(handler, call);
  const text = draft.render(message);
  const first = text === "message" ? "message" : `message: ${text}`;
  if (url !== undefined) {
    return draft.replace(
      call,
      `${handler.context}.elicitUrl(${handler.nextKey("page")}, { ${first}, url: ${draft.render(url)} })`,
    );
  }
  const request = `{ ${first}, schema: ${questionSchema(handler, schema as Node, call)} }`;
  draft.replace(call, `${handler.context}.elicit(${handler.nextKey("question")}, ${request})`);
}

function questionSchema(handler: Handler, schema: Node, call: Node): string {
  const { draft, library } = handler;
  const isPlain = library !== "mcp-lite" || isJsonSchema(bare(resolveConst(bare(schema))));
  return isPlain
    ? jsonSchemaText(draft, schema, draft.indentOf(call), isScript(draft) ? undefined : "Record<string, any>")
    : draft.renderAt(schema, draft.indentOf(call));
}

function sample(handler: Handler, call: CallExpression, parameters: Node | undefined): void {
  const { draft } = handler;
  const members = membersOf(bare(resolveConst(bare(parameters))));
  if (parameters === undefined || members === undefined) return draft.todo(call, "question");
  begin(handler, call);
  const prompt = members.get("prompt");
  if (prompt !== undefined) {
    const messages = `messages: [{ role: "user", content: { type: "text", text: ${draft.render(prompt)} } }]`;
    draft.replace(prompt.getParentOrThrow(), messages);
  }
  accept(
    handler,
    call,
    `${handler.context}.sample(${handler.nextKey("sample")}, ${draft.render(parameters)})`,
    "sample",
  );
}

/** A question whose answer is used as if it was given: the handler ends if it was not. */
function accept(handler: Handler, call: CallExpression, text: string, what: string): void {
  const { draft } = handler;
  const awaited = call.getParent();
  const declaration = awaited?.getParent();
  if (!Node.isAwaitExpression(awaited) || !Node.isVariableDeclaration(declaration)) {
    draft.replace(call, text);
    return draft.todo(call, "question");
  }
  const statement = declaration.getVariableStatementOrThrow();
  const answer = draft.freeName(`${what}Answer`);
  const failure = draft.imports.use("toolwire", "Failure");
  const block = what === "sample" && !isScript(draft)
    ? draft.imports.use("toolwire/mcp", "ContentBlock", { isType: true })
    : "";
  const cast = block === ""
    ? ""
    : ` as unknown as { readonly content: ${block}; readonly model: string; readonly stopReason?: string }`;
  const lines = [
    `const ${answer} = await ${text};`,
    `if (${answer}.action !== "accept") throw new ${failure}("declined", "The caller declined");`,
    `${statement.getDeclarationKind()} ${declaration.getNameNode().getText()} = ${answer}.content${cast};`,
  ];
  draft.replace(statement, lines.join(`${draft.eol}${draft.indentOf(statement)}`));
}

/** What all questions have in common: keys are unique in a run, and the handler runs again. */
function begin(handler: Handler, call: CallExpression): void {
  keepOptions(handler, call);
  handler.draft.note(call, "rerun");
  const loop = call.getAncestors().find((one) => one === handler.fn || Node.isIterationStatement(one));
  const isShared = handler.kind === "helper";
  if (isShared || (loop !== undefined && loop !== handler.fn)) handler.draft.todo(call, "question-key");
}

/** Options of one question, its time limit among them, come after what it asks. */
function keepOptions({ draft }: Handler, call: CallExpression): void {
  const callee = call.getExpression();
  const name = Node.isPropertyAccessExpression(callee) ? callee.getName() : callee.getText();
  const options = call.getArguments()[/^send(Request)?$/.test(name) ? 2 : 1];
  if (options !== undefined) draft.keepText(options, "question-options");
}

function isScript(draft: Draft): boolean {
  return /\.[cm]?jsx?$/.test(draft.source.getFilePath());
}

/** Converts the functions with which handlers of 2.x ask by rounds: `inputRequired`, `acceptedContent`, and the codec of the state. */
export function convertRounds(draft: Draft): void {
  for (const use of usesOf(draft, "inputRequired")) convertAsking(draft, use);
  for (const use of usesOf(draft, "acceptedContent")) draft.replace(use, draft.helper(roundRunner)[2] ?? "");
  for (const use of usesOf(draft, "createRequestStateCodec")) dropCodec(draft, use);
}

/** Whether an expression is a call of `inputRequired(…)` of 2.x. */
export function isRound(draft: Draft, node: Node | undefined): boolean {
  return Node.isCallExpression(node) && draft.imports.isAny(node.getExpression(), "inputRequired");
}

/** Wraps the converted body of a handler that asks by rounds in `inRounds()`. Other handlers stay as they are. */
export function wrapRounds(handler: Handler): void {
  const { draft, fn, round } = handler;
  const body = fn.getBody();
  if (body === undefined || round === undefined) return;
  const [run = ""] = draft.helper(roundRunner);
  // A step must not ask in place.
  const inPlace = handler.asksInPlace ? ", false" : "";
  const call = `${run}(${handler.context}, async (${round}) => ${draft.render(body)}${inPlace})`;
  if (Node.isArrowFunction(fn)) return draft.replace(body, call);
  const { eol, unit } = draft;
  const indent = draft.indentOf(fn);
  draft.replace(body, `{${eol}${indent}${unit}return ${call};${eol}${indent}}`);
}

function usesOf(draft: Draft, name: string): readonly Identifier[] {
  return draft.source.getDescendants().filter(Node.isIdentifier).filter((one) =>
    draft.imports.isAny(one, name) && !Node.isImportSpecifier(one.getParent()) &&
    !one.getAncestors().some(Node.isJSDoc)
  );
}

/** `inputRequired.elicit(question)` is the question. */
function convertAsking(draft: Draft, use: Identifier): void {
  const access = use.getParent();
  if (Node.isCallExpression(access)) return draft.replace(use, draft.helper(roundRunner)[1] ?? "");
  const call = access?.getParent();
  if (!Node.isPropertyAccessExpression(access) || !Node.isCallExpression(call)) {
    return draft.todo(use, "input-required");
  }
  const [question] = call.getArguments();
  if (access.getName() === "listRoots") draft.replace(call, "{ roots: true }");
  else if (question === undefined) draft.todo(use, "input-required");
  else unwrapCall(draft, call, question);
}

/** Leaves one argument of a call. What is in the argument may be converted later. */
function unwrapCall(draft: Draft, call: CallExpression, argument: Node): void {
  const parent = call.getParent();
  const whole = Node.isAwaitExpression(parent) ? parent : call;
  draft.edits.overwrite(whole.getStart(), argument.getStart(), "");
  if (whole.getEnd() > argument.getEnd()) draft.edits.overwrite(argument.getEnd(), whole.getEnd(), "");
}

/** State is kept by the server, in what it signs: `codec.mint(state)` is the state. */
function dropCodec(draft: Draft, use: Identifier): void {
  const declaration = use.getParent()?.getParent();
  const name = Node.isVariableDeclaration(declaration) ? declaration.getNameNode() : undefined;
  if (!Node.isVariableDeclaration(declaration) || !Node.isIdentifier(name)) return draft.todo(use, "input-required");
  let isKept = false;
  for (const one of draft.uses(name)) {
    const access = one.getParent();
    const call = access?.getParent();
    const method = Node.isPropertyAccessExpression(access) ? access.getName() : undefined;
    const [state] = Node.isCallExpression(call) ? call.getArguments() : [];
    // The option `requestState` is removed with the other options of the server.
    if (method === "verify" && !Node.isCallExpression(call)) continue;
    if (method === "mint" && Node.isCallExpression(call) && state !== undefined) unwrapCall(draft, call, state);
    else {
      isKept = true;
      draft.todo(one, "input-required");
    }
  }
  if (!isKept) draft.remove(declaration.getVariableStatementOrThrow());
}
