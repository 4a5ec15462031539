/** The definition of a tool, a resource or a prompt, from its registration. */
import { Node } from "ts-morph";
import { convertContext } from "./context_members.ts";
import { contentsText, messagesText, unwrapReturns } from "./content_results.ts";
import type { Draft } from "./draft.ts";
import { argumentsSchema, completersText, sessionPosition } from "./fastmcp.ts";
import { accessText, convertSessionParameter } from "./fastmcp_sessions.ts";
import { convertThrows, dropReturnType, expressionBody, type Fn, isFn, resolveFn, returnsOf } from "./functions.ts";
import { resultReader } from "./helpers.ts";
import { Handler, positionsOf } from "./handler.ts";
import { convertUrlErrors, wrapRounds } from "./questions.ts";
import { bare, membersOf, type Registration, resolveConst } from "./registrations.ts";
import { listText } from "./resource_lists.ts";
import { textOfBlocks, ToolResults } from "./results.ts";
import { completerText, jsonSchemaText, schemaText, takeCompleters } from "./schemas.ts";
import { FASTMCP_MEMBERS, type Library } from "./tables.ts";
import { addValidators } from "./validators.ts";

/** Converts the uses of the registering server in a handler: questions, log lines, notices of changes. */
export type ConvertServerUses = (handler: Handler) => void;

/** A registration of the other library that is converted to `defineTool`, `defineResource` or `definePrompt`. */
interface Definition {
  readonly draft: Draft;
  readonly registration: Registration;
  readonly library: Library;
  readonly convertServerUses: ConvertServerUses;
  /** Indentation of the steps. */
  readonly indent: string;
  /** Steps in their order: `.title("…")`. */
  readonly steps: string[];
}

/** Converts a registration to the text of a definition: `defineTool(…)` and the like with their steps, without a semicolon. */
export function definitionText(
  draft: Draft,
  registration: Registration,
  library: Library,
  convertServerUses: ConvertServerUses,
  indent: string,
): string {
  const definition: Definition = {
    draft,
    registration,
    library,
    convertServerUses,
    indent: indent + draft.unit,
    steps: [],
  };
  const start = { tool: toolStart, resource: resourceStart, prompt: promptStart }[registration.kind](definition);
  return [start, ...definition.steps].join(`${draft.eol}${indent}${draft.unit}`);
}

function toolStart(definition: Definition): string {
  const { draft, registration, library, steps } = definition;
  const { members, name, hasArgs } = registration;
  describe(definition, ["title", "description"]);
  const fn = resolveFn(draft, registration.handler);
  const input = members.get("inputSchema");
  const output = members.get("outputSchema");
  if (input !== undefined) {
    step(definition, "inputSchema", "input", schemaText(draft, input, library, definition.indent, argsType(fn)));
  }
  if (output !== undefined) {
    step(
      definition,
      "outputSchema",
      "output",
      schemaText(draft, output, library, definition.indent) ?? jsonSchemaText(draft, output, definition.indent),
    );
  }
  if (members.has("icons")) draft.note(registration.call, "icons");
  if (library === "fastmcp") fastMcpSteps(definition);
  if ([...members.keys()].some((member) => !TOOL_MEMBERS.has(member))) draft.todo(registration.call, "registration");
  plainStep(definition, "annotations", "annotate");
  plainStep(definition, "_meta", "meta");
  if (registration.enabled !== undefined) steps.push(`.visibleTo(() => ${registration.enabled})`);
  const handler = fn && new Handler(draft, fn, library, "tool", positionsOf(library, "tool", hasArgs, false));
  if (handler === undefined) {
    return end(definition, "handle", undefined, draft.imports.use("toolwire", "defineTool"), name);
  }
  if (library === "fastmcp" && !hasStructured(handler.fn)) {
    convertBody(definition, handler, () => convertFastMcpResults(draft, handler.fn));
    return end(definition, "handle", handler, draft.imports.use("toolwire", "defineTool"), name);
  }
  const results = new ToolResults(draft, handler.fn, output !== undefined, () => handler.context);
  const convertResults = () => {
    results.convertAll();
    convertThrows(draft, handler.fn);
  };
  convertBody(definition, handler, convertResults);
  if (results.render !== undefined) steps.push(`.render(${results.render})`);
  return end(definition, "handle", handler, draft.imports.use("toolwire", "defineTool"), name);
}

/** Whether a handler returns its structured value beside the blocks. */
function hasStructured(fn: Fn): boolean {
  const returned = [expressionBody(fn), ...returnsOf(fn).map((one) => one.getExpression())];
  return returned.some((value) => membersOf(bare(value))?.has("structuredContent"));
}

/** Handlers of FastMCP return texts and blocks as handlers here do. A result with `isError` is marked. */
function convertFastMcpResults(draft: Draft, fn: Fn): void {
  const returned = [expressionBody(fn), ...returnsOf(fn).map((one) => one.getExpression())];
  const isError = (value: Node | undefined) => membersOf(bare(value))?.has("isError") === true;
  for (const value of returned.filter(isError)) if (value !== undefined) convertErrorResult(draft, fn, value);
  dropReturnType(draft, fn);
  convertThrows(draft, fn);
}

/** `{ content: [{ type: "text", text }], isError: true }`: a failure has one text. Others are marked. */
function convertErrorResult(draft: Draft, fn: Fn, value: Node): void {
  const members = membersOf(bare(value));
  const text = textOfBlocks(members?.get("content"));
  const owner = value.getParent();
  const isWhole = value === fn.getBody() || Node.isReturnStatement(owner) || Node.isParenthesizedExpression(value);
  if (members?.get("isError")?.getText() !== "true" || members.size !== 2 || text === undefined || !isWhole) {
    return draft.todo(value, "result");
  }
  const thrown = `throw new ${draft.imports.use("toolwire", "Failure")}("failed", ${draft.render(text)});`;
  if (Node.isReturnStatement(owner)) draft.replace(owner, thrown);
  else draft.replace(fn.getBody() ?? value, `{ ${thrown} }`);
}

/** Steps that only tools of FastMCP have. */
function fastMcpSteps(definition: Definition): void {
  const { draft, registration: { members } } = definition;
  plainStep(definition, "timeoutMs", "timeout");
  const canAccess = members.get("canAccess");
  if (canAccess !== undefined) {
    step(definition, "canAccess", "visibleTo", accessText(draft, canAccess, definition.indent));
  }
}

const TOOL_MEMBERS: ReadonlySet<string> = new Set(
  [
    "timeoutMs",
    "canAccess",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "_meta",
    "icons",
    "handler",
  ],
);

function promptStart(definition: Definition): string {
  const { draft, registration, library, steps } = definition;
  const { members, name, hasArgs } = registration;
  describe(definition, ["title", "description"]);
  plainStep(definition, "_meta", "meta");
  plainStep(definition, "icons", "icons");
  const fn = resolveFn(draft, registration.handler);
  if (library === "fastmcp") return fastMcpPrompt(definition);
  const schema = members.get("argsSchema");
  const list = Node.isArrayLiteralExpression(schema) ? argumentsSchema(draft, schema) : undefined;
  if (list === undefined && Node.isArrayLiteralExpression(schema)) draft.todo(schema, "schema");
  const completers = schema === undefined ? undefined : takeCompleters(draft, bare(resolveConst(schema) ?? schema));
  if (schema !== undefined) {
    const text = list ?? schemaText(draft, schema, library, definition.indent, argsType(fn));
    step(definition, "argsSchema", "input", text);
  }
  if (completers !== undefined && completers.size > 0) {
    steps.push(`.complete({ ${[...completers].map(([key, text]) => `${key}: ${text}`).join(", ")} })`);
  }
  const handler = fn && new Handler(draft, fn, library, "prompt", positionsOf(library, "prompt", hasArgs, false));
  if (handler !== undefined) {
    const toText = (value: Node) => messagesText(draft, value);
    convertBody(definition, handler, () => unwrapReturns(draft, handler.fn, "messages", toText, () => handler.context));
  }
  return end(definition, "handle", handler, draft.imports.use("toolwire/mcp", "definePrompt"), name);
}

/** `addPrompt({ arguments: [{ name }], load })`. */
function fastMcpPrompt(definition: Definition): string {
  const { draft, registration: { members, name, handler: given }, library, steps } = definition;
  const list = members.get("argsSchema");
  const schema = list === undefined ? undefined : argumentsSchema(draft, list);
  if (list !== undefined && schema === undefined) draft.todo(list, "schema");
  if (schema !== undefined) steps.push(`.input(${schema})`);
  const completers = completersText(draft, list);
  if (completers !== undefined) steps.push(`.complete(${completers})`);
  const fn = resolveFn(draft, given);
  const handler = fn && new Handler(draft, fn, library, "prompt", positionsOf(library, "prompt", true, false));
  if (handler !== undefined) {
    convertSessionOf(handler, sessionPosition("prompt", false));
    const toText = (value: Node) => messagesText(draft, value);
    const body = [expressionBody(handler.fn), ...returnsOf(handler.fn).map((one) => one.getExpression())];
    const hasMessages = body.some((value) => membersOf(bare(value))?.has("messages"));
    convertBody(definition, handler, () => {
      if (hasMessages) unwrapReturns(draft, handler.fn, "messages", toText, () => handler.context);
    });
  }
  return end(definition, "handle", handler, draft.imports.use("toolwire/mcp", "definePrompt"), name);
}

function resourceStart(definition: Definition): string {
  const { draft, registration, library, steps } = definition;
  const { members, name, uri } = registration;
  const template = templateOf(draft, uri);
  const pattern = template?.uri ?? uri;
  if (name !== undefined) steps.push(`.name(${draft.render(name)})`);
  for (const [member, method] of RESOURCE_STEPS) plainStep(definition, member, method);
  if (library === "fastmcp") return fastMcpResource(definition);
  if (template?.complete !== undefined) steps.push(`.complete(${completersOf(draft, template.complete)})`);
  const literal = bare(resolveConst(pattern));
  const list = listText(draft, template?.list, {
    uri: Node.isStringLiteral(literal) ? literal.getLiteralValue() : "",
    title: members.get("title"),
    meta: members.get("_meta"),
  });
  if (list !== undefined) steps.push(`.list(${list})`);
  const fn = resolveFn(draft, registration.handler);
  const handler = fn &&
    new Handler(draft, fn, library, "resource", positionsOf(library, "resource", false, template !== undefined));
  if (handler !== undefined) {
    const facts = {
      uri: pattern?.getText() ?? "",
      mimeType: members.get("mimeType")?.getText(),
      sameUri: uriTexts(handler.fn),
    };
    const toText = (value: Node) => contentsText(draft, value, facts);
    convertBody(definition, handler, () => {
      unwrapReturns(draft, handler.fn, "contents", toText, () => handler.context);
      addValidators(draft, handler, registration.validators);
    });
  }
  return end(definition, "read", handler, draft.imports.use("toolwire/mcp", "defineResource"), pattern);
}

/** The text of the completers of a template. */
function completersOf(draft: Draft, complete: Node): string {
  for (const completer of membersOf(complete)?.values() ?? []) completerText(draft, completer);
  return draft.render(complete);
}

/** `addResource({ uri, load })` and `addResourceTemplate({ uriTemplate, arguments, load })`: they return the same parts as readers here. */
function fastMcpResource(definition: Definition): string {
  const { draft, registration: { members, uri, hasArgs, handler: given }, library, steps } = definition;
  const completers = completersText(draft, members.get("argsSchema"));
  if (completers !== undefined) steps.push(`.complete(${completers})`);
  const fn = resolveFn(draft, given);
  const handler = fn && new Handler(draft, fn, library, "resource", positionsOf(library, "resource", hasArgs, hasArgs));
  if (handler !== undefined) {
    convertSessionOf(handler, sessionPosition("resource", hasArgs));
    convertBody(definition, handler, () => dropReturnType(draft, handler.fn));
  }
  return end(definition, "read", handler, draft.imports.use("toolwire/mcp", "defineResource"), uri);
}

/** Converts the parameter of a `load` function that has the session of FastMCP. */
function convertSessionOf(handler: Handler, position: number | undefined): void {
  const name = position === undefined ? undefined : handler.fn.getParameters()[position]?.getNameNode();
  if (name !== undefined) convertSessionParameter(handler, name);
}

const RESOURCE_STEPS = [
  ["title", "title"],
  ["description", "describe"],
  ["mimeType", "mimeType"],
  ["annotations", "annotate"],
  ["icons", "icons"],
  ["size", "size"],
  ["_meta", "meta"],
] as const;

/** `new ResourceTemplate(uri, { list, complete })`. */
function templateOf(draft: Draft, uri: Node | undefined) {
  const created = bare(resolveConst(bare(uri)));
  if (!Node.isNewExpression(created) || !draft.imports.isAny(created.getExpression(), "ResourceTemplate")) {
    return undefined;
  }
  const [pattern, options] = created.getArguments();
  const members = membersOf(options);
  if (created !== bare(uri)) draft.remove(created.getFirstAncestorOrThrow(Node.isVariableStatement));
  return { uri: pattern, list: members?.get("list"), complete: members?.get("complete") };
}

/** Texts of the read URI in a reader. */
function uriTexts(fn: Fn): ReadonlySet<string> {
  const name = fn.getParameters()[0]?.getNameNode();
  if (Node.isObjectBindingPattern(name)) return new Set(["href"]);
  const text = name?.getText() ?? "";
  return new Set([`${text}.href`, `${text}.toString()`, `String(${text})`, `${text}.toString`, text]);
}

/** Context first, then what is returned, then the parameters. */
function convertBody(definition: Definition, handler: Handler, convertResults: () => void): void {
  convertContext(handler);
  convertUrlErrors(handler);
  definition.convertServerUses(handler);
  handler.convertUris();
  convertResults();
  handler.finish();
  wrapRounds(handler);
  handler.writeParameters();
}

/** Adds the last step, and returns the first. */
function end(
  definition: Definition,
  method: string,
  handler: Handler | undefined,
  start: string,
  name: Node | undefined,
): string {
  const { draft, registration, steps } = definition;
  const node = registration.handler;
  if (handler === undefined && node !== undefined) draft.todo(node, "handler");
  const text = node === undefined ? "" : functionText(draft, node, definition.indent);
  steps.push(`.${method}(${handler === undefined ? elsewhere(definition, text) : text})`);
  return `${start}(${name === undefined ? '""' : draft.render(name)})`;
}

/** A handler of a tool that is defined elsewhere, with what it returns. */
function elsewhere({ draft, registration: { kind, hasArgs } }: Definition, text: string): string {
  if (kind !== "tool" || text === "") return text;
  const isPlain = /^[\w$.]+(\([^]*\))?$/.test(text);
  const [answerOf] = draft.helper(resultReader);
  const [args, given] = [hasArgs ? "args" : "_", hasArgs ? "args, ctx as never" : "ctx as never"];
  const values = /\.[cm]?jsx?$/.test(draft.source.getFilePath()) ? given.replace(" as never", "") : given;
  return `async (${args}, ctx) => ${answerOf}(await ${isPlain ? text : `(${text})`}(${values}))`;
}

/** A method of the configuration is a function here. */
function functionText(draft: Draft, node: Node, indent: string): string {
  const text = draft.renderAt(node, indent);
  return Node.isMethodDeclaration(node) ? text.replace(/^(async\s+)?(\*?)/, "$1function$2 ") : text;
}

/** Title and description. The second is required of tools and prompts. */
function describe(definition: Definition, members: readonly ["title", "description"]): void {
  const { draft, registration, steps } = definition;
  plainStep(definition, members[0], "title");
  if (plainStep(definition, members[1], "describe")) return;
  const node = registration.members.get("title") ?? registration.name;
  draft.note(registration.call, "described");
  steps.push(`.describe(${node === undefined ? '""' : draft.render(node)})`);
}

function plainStep(definition: Definition, member: string, method: string): boolean {
  const { draft, registration: { members } } = definition;
  const value = members.get(member);
  if (value === undefined) return false;
  step(definition, member, method, draft.renderAt(value, definition.indent));
  return true;
}

/** Adds a step, with the comments of its member. */
function step(
  { registration, draft, steps }: Definition,
  member: string,
  method: string,
  text: string | undefined,
): void {
  if (text === undefined) return;
  const names = [member, ...Object.keys(FASTMCP_MEMBERS).filter((name) => FASTMCP_MEMBERS[name] === member)];
  const property = names.map((name) => registration.config?.getProperty(name)).find((one) => one !== undefined);
  const comments = property?.getLeadingCommentRanges().map((one) => one.getText()) ?? [];
  const rest = property === undefined ? "" : draft.source.getFullText().slice(property.getEnd());
  const trailing = /^,?[ \t]*(\/\/[^\r\n]*)/.exec(rest)?.[1];
  steps.push(...comments, `.${method}(${text})${trailing === undefined ? "" : ` ${trailing}`}`);
}

/** Type of the first parameter, for JSON Schema without a type. */
function argsType(fn: Fn | undefined): string | undefined {
  const type = isFn(fn) ? fn.getParameters()[0]?.getTypeNode() : undefined;
  return type?.getText();
}
