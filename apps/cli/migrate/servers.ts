/** Servers of a file: where they are created, what is registered with them, and the `createServer()` that takes their place. */
import {
  type Block,
  type CallExpression,
  type Identifier,
  type NewExpression,
  Node,
  type SourceFile,
  type Statement,
  type VariableDeclaration,
} from "ts-morph";
import { convertAuthInfoIn } from "./auth_info.ts";
import { chainOf } from "./chains.ts";
import { methodText, requestHandlerCall } from "./custom_methods.ts";
import { convertContextHelpers } from "./context_members.ts";
import { definitionName } from "./definition_names.ts";
import { definitionText } from "./definitions.ts";
import type { Draft } from "./draft.ts";
import { errorHandlerText } from "./error_handlers.ts";
import { sessionTypeOf, takeAuthenticate } from "./fastmcp_sessions.ts";
import { convertMedia } from "./media.ts";
import { callsOfOwner, isRunOften, isUsedLater, markState } from "./factories.ts";
import { isFn } from "./functions.ts";
import type { Handler } from "./handler.ts";
import {
  bare,
  definitionsOf,
  listComments,
  membersOf,
  readRegistration,
  readRegistrations,
  type Registration,
  resolveConst,
} from "./registrations.ts";
import { adapterOf } from "./schemas.ts";
import { type Lists, serverOptions } from "./server_options.ts";
import { convertServerUse, ToolSwitches } from "./server_uses.ts";
import { convertRounds } from "./questions.ts";
import { convertRpcErrors } from "./rpc_errors.ts";
import { REGISTERING } from "../../../src/core/tool/spellings.ts";
import { type Library, SERVER_CLASSES } from "./tables.ts";

/**
 * Converts each `new McpServer()` and `new FastMCP()`, with its registrations, to `createServer()`, and marks what cannot be converted. A function
 * that takes such a server as a parameter gets lists of tools, resources and prompts, to which it adds definitions.
 */
export function convertServers(draft: Draft): void {
  convertContextHelpers(draft);
  convertRounds(draft);
  convertRpcErrors(draft);
  convertMedia(draft);
  draft.sessionType = sessionTypeOf(draft);
  const created = draft.source.getDescendants().filter(Node.isNewExpression);
  for (const node of created) {
    const known = draft.imports.known(node.getExpression());
    if (known !== undefined && SERVER_CLASSES.includes(known.name)) {
      new ServerConversion(draft, known.library).convert(node);
    } else if (known?.name === "Client") draft.todo(node, "client");
  }
  for (const fn of draft.source.getDescendants().filter(isFn)) {
    for (const parameter of fn.getParameters()) {
      const type = parameter.getTypeNode();
      const name = parameter.getNameNode();
      const known = Node.isTypeReference(type) ? draft.imports.known(type.getTypeName()) : undefined;
      if (known === undefined || !SERVER_CLASSES.includes(known.name)) continue;
      if (type === undefined || !Node.isIdentifier(name)) continue;
      new ServerConversion(draft, known.library).convertParameter(name, type);
    }
  }
}

const PLURALS = { tool: "tools", resource: "resources", prompt: "prompts" } as const;

/** Converts one server: its creation, with all registrations that belong to it. */
class ServerConversion {
  readonly #draft: Draft;
  readonly #library: Library;
  readonly #lists: Lists = { tool: [], resource: [], prompt: [], middleware: [], part: [], onError: [], method: [] };
  /** Name of the object that collects what is not registered beside the server. */
  #parts: string | undefined;
  #uses: readonly Identifier[] = [];
  readonly #switches: ToolSwitches;
  #fixedResources = 0;

  constructor(draft: Draft, library: Library) {
    this.#draft = draft;
    this.#library = library;
    this.#switches = new ToolSwitches(draft);
  }

  /** Converts `new McpServer(…)`, with the calls that are chained to it. */
  convert(created: NewExpression): void {
    this.#draft.schemaAdapter = adapterOf(this.#draft, created);
    if (this.#library === "fastmcp") takeAuthenticate(this.#draft, created);
    const calls = chainOf(created);
    const top = calls.at(-1)?.call ?? created;
    const parent = top.getParent();
    const name = Node.isVariableDeclaration(parent) ? parent.getNameNode() : undefined;
    const isConverted = calls.map(({ call, method }) => this.#chained(call, method)).every(Boolean);
    if (!isConverted) return this.#draft.todo(created, "chained");
    if (Node.isVariableDeclaration(parent) && Node.isIdentifier(name)) return this.#variable(created, parent, name);
    if (!Node.isReturnStatement(parent) && !Node.isArrowFunction(parent) && !Node.isCallExpression(parent)) {
      this.#draft.todo(created, "server-kept");
    }
    this.#draft.replace(top, this.#serverText(created, this.#draft.indentOf(top)));
  }

  /** Converts a function that registers with a server that it is given. */
  convertParameter(name: Identifier, type: Node): void {
    const { imports } = this.#draft;
    this.#parts = name.getText();
    this.#uses = this.#draft.uses(name);
    for (const use of this.#uses) this.#registerUse(use, undefined);
    const lists = [["tools", "toolwire", "AnyTool"], ["resources", "toolwire/mcp", "Resource"], [
      "prompts",
      "toolwire/mcp",
      "Prompt",
    ]];
    const members = lists.map(([list = "", module = "", type = ""]) =>
      `${list}: ${imports.use(module, type, { isType: true })}[]`
    );
    this.#draft.replace(type, `{ ${members.join("; ")} }`);
  }

  #variable(created: NewExpression, declaration: VariableDeclaration, name: Identifier): void {
    const draft = this.#draft;
    const statement = declaration.getVariableStatementOrThrow();
    const block = statement.getParentOrThrow() as Block | SourceFile;
    this.#uses = draft.uses(name);
    const isOften = isRunOften(draft, block);
    for (const use of this.#uses) this.#switches.find(use, block, isOften);
    if (isOften) markState(draft, block);
    let last: Statement = statement;
    const registering = this.#uses.filter((use) => this.#registerUse(use, block));
    for (const use of [...registering, ...registering.flatMap((use) => callsOfOwner(draft, use, block))]) {
      const own = statementIn(block, use);
      if (own !== undefined && own.getPos() > last.getPos()) last = own;
    }
    const keyword = `${statement.hasExportKeyword() ? "export " : ""}const ${name.getText()} = `;
    const text = `${keyword}${this.#serverText(created, draft.indentOf(statement))};`;
    for (const taken of this.#taken) if (taken !== last) draft.remove(taken);
    if (last === statement && this.#parts === undefined) return draft.replace(statement, text);
    const indent = draft.indentOf(statement);
    const comments = statement.getLeadingCommentRanges().map((one) => `${one.getText()}${draft.eol}${indent}`);
    if (this.#parts === undefined) draft.remove(statement);
    else draft.replace(statement, this.#partsText());
    const withComments = `${this.#parts === undefined ? comments.join("") : ""}${text}`;
    if (this.#taken.has(last)) draft.replace(last, withComments);
    else draft.edits.insert(last.getEnd(), `${draft.eol}${draft.eol}${indent}${withComments}`);
  }

  /** Converts what is registered by one use. Whether it is such a use. */
  #registerUse(use: Identifier, block: Node | undefined): boolean {
    if (this.#chainOn(use, block)) return true;
    const parent = use.getParent();
    const call = Node.isPropertyAccessExpression(parent) ? parent.getParent() : undefined;
    if (Node.isPropertyAccessExpression(parent) && Node.isCallExpression(call) && call.getExpression() === parent) {
      const method = parent.getName();
      if (method in REGISTERING) return this.#register(call, method, block);
      if (CHAINED.has(method)) {
        return this.#chainedLater(call, method, use, block);
      }
    }
    const handled = requestHandlerCall(use);
    if (handled !== undefined && this.#method(handled, block)) return true;
    // A function that registers.
    if (
      Node.isCallExpression(parent) && parent.getArguments().includes(use) && Node.isIdentifier(parent.getExpression())
    ) {
      const callee = this.#draft.imports.known(parent.getExpression());
      if (callee !== undefined || isTransportCall(parent)) return false;
      if (block !== undefined) this.#draft.replace(use, this.#partsName());
      return block !== undefined;
    }
    if (block !== undefined && Node.isCallExpression(parent) && registersByMethod(parent, use)) {
      this.#draft.replace(use, this.#partsName());
      return true;
    }
    const isInHandler = use.getAncestors().some((one) => this.#handlers.has(one));
    if (!isInHandler) convertServerUse(this.#draft, use, undefined);
    return false;
  }

  readonly #handlers = new Set<Node>();
  /** Statements whose content is in the options of the server. */
  readonly #taken = new Set<Statement>();

  /** `server.tool(…).tool(…)`, a statement of the block of the server. Whether all of it was converted. */
  #chainOn(use: Identifier, block: Node | undefined): boolean {
    const calls = chainOf(use);
    const statement = calls.at(-1)?.call.getParent();
    if (calls.length < 2 || !Node.isExpressionStatement(statement) || statement.getParent() !== block) return false;
    if (!calls.every(({ method }) => method in REGISTERING || CHAINED.has(method))) return false;
    const isConverted = calls.map(({ call, method }) => this.#chained(call, method)).every(Boolean);
    if (isConverted) this.#taken.add(statement);
    else this.#draft.todo(use, "server-use");
    return true;
  }

  /** `server.use(…)` and the like, a statement of the block of the server: what it adds is an option. Elsewhere it is marked. */
  #chainedLater(call: CallExpression, method: string, use: Identifier, block: Node | undefined): boolean {
    const statement = call.getFirstAncestorOrThrow(Node.isStatement);
    const isAlone = Node.isExpressionStatement(statement) && statement.getExpression() === call;
    if (block === undefined || !isAlone || statement.getParent() !== block) {
      this.#draft.todo(use, "chained");
      return false;
    }
    if (!this.#chained(call, method)) {
      this.#draft.todo(use, "server-use");
      return false;
    }
    this.#taken.add(statement);
    return true;
  }

  /** A method that is not MCP's, registered beside the creation of the server. Whether it is one. */
  #method(call: CallExpression, block: Node | undefined): boolean {
    const statement = call.getFirstAncestorOrThrow(Node.isStatement);
    if (!Node.isExpressionStatement(statement) || statement.getParent() !== block) return false;
    const text = methodText(this.#draft, call, this.#library, this.#convertUses);
    if (text === undefined) return false;
    this.#lists.method.push(text);
    this.#taken.add(statement);
    return true;
  }

  #register(call: CallExpression, method: string, block: Node | undefined): boolean {
    const draft = this.#draft;
    const all = readRegistrations(call, method, this.#library);
    const [first] = all ?? [];
    if (all === undefined || first === undefined) {
      draft.todo(call, "registration");
      return true;
    }
    const statement = call.getParent();
    const indent = draft.indentOf(call);
    const enabled = this.#switches.get(call);
    const texts = all.map((one) => this.#definition({ ...one, enabled }, indent));
    if (block !== undefined && Node.isExpressionStatement(statement) && statement.getParent() === block) {
      const lines = all.flatMap((one, index) => {
        const name = definitionName(draft, one);
        this.#list(one, name);
        return [...listComments(one), `const ${name} = ${texts[index]};`];
      });
      draft.replace(statement, lines.join(`${draft.eol}${indent}`));
    } else if (!this.#keptInConst(first, block, texts.join(", "))) this.#push(first, texts.join(", "), block);
    return true;
  }

  /** Adds a definition. Fixed resources come before templates, since the official SDK lists them before those of templates. */
  #list({ kind, uri }: Registration, text: string): void {
    const isFixed = kind === "resource" && !Node.isNewExpression(bare(resolveConst(bare(uri))));
    this.#lists[kind].splice(isFixed ? this.#fixedResources++ : this.#lists[kind].length, 0, text);
  }

  /** `const tool = server.registerTool(…)`. */
  #keptInConst(registration: Registration, block: Node | undefined, text: string): boolean {
    const { call } = registration;
    const declaration = call.getParent();
    if (!Node.isVariableDeclaration(declaration)) return false;
    const name = declaration.getNameNode();
    const statement = declaration.getVariableStatementOrThrow();
    if (!Node.isIdentifier(name) || block === undefined || statement.getParent() !== block) return false;
    const isSwitched = this.#switches.get(call) !== undefined;
    for (const use of isSwitched ? [] : this.#draft.uses(name)) {
      const own = use.getFirstAncestor((one) => Node.isStatement(one) && one.getParent() === block);
      const isAlone = Node.isExpressionStatement(own) || Node.isIfStatement(own);
      if (isAlone && use.getFirstAncestor(isFn) === own.getFirstAncestor(isFn)) {
        this.#draft.commentOut(own, "after-creation");
      } else this.#draft.todo(use, "after-creation");
    }
    this.#list(registration, name.getText());
    this.#draft.replace(declaration, `${name.getText()} = ${text}`);
    return true;
  }

  /** Within a loop, a condition or a function, definitions are collected. */
  #push({ call, kind }: Registration, text: string, block: Node | undefined): void {
    const draft = this.#draft;
    const owner = call.getFirstAncestor(isFn);
    const isLater = block !== undefined && owner !== undefined && owner.getAncestors().includes(block) &&
      isUsedLater(draft, owner);
    if (isLater) draft.todo(call, "after-creation");
    draft.replace(call, `${this.#partsName()}.${PLURALS[kind]}.push(${text})`);
  }

  /** Converts a call that adds to the server. Whether it is one of these. */
  #chained(call: CallExpression, method: string): boolean {
    const draft = this.#draft;
    const [first, second] = call.getArguments();
    if (first === undefined) return false;
    if (method in REGISTERING) return this.#chainedRegistration(call, method);
    if (method === "use") this.#middleware(first, draft.indentOf(call));
    else if (method === "onError") {
      const text = errorHandlerText(draft, first, draft.indentOf(call) + draft.unit);
      this.#lists.onError.push(text);
    } else if (method === "group") {
      if (second !== undefined) draft.note(call, "group");
      const name = draft.imports.use("toolwire/compose", second === undefined ? "mount" : "group");
      this.#lists.part.push(`${name}(${call.getArguments().map((one) => draft.render(one)).join(", ")})`);
    } else return false;
    return true;
  }

  #chainedRegistration(call: CallExpression, method: string): boolean {
    const registration = readRegistration(call, method, this.#library);
    if (registration === undefined) return false;
    this.#list(registration, this.#definition(registration, this.#draft.indentOf(call)));
    return true;
  }

  /** Middleware returns what `next()` resolves to. */
  #middleware(node: Node, indent: string): void {
    const draft = this.#draft;
    const body = isFn(node) ? node.getBody() : undefined;
    const statements = Node.isBlock(body) ? body.getStatements() : [];
    const next = statements.find((one) => /^await next\(\);?$/.test(one.getText()));
    const last = statements.at(-1);
    if (next === undefined || last === undefined) draft.todo(node, "middleware");
    else if (next === last) draft.replace(next, "return await next();");
    else {
      const name = draft.freeName("result", "outcome");
      draft.replace(next, `const ${name} = await next();`);
      draft.edits.insert(last.getEnd(), `${draft.eol}${draft.indentOf(last)}return ${name};`);
    }
    const request = node.getDescendants().filter(Node.isPropertyAccessExpression).find((one) =>
      one.getName() === "request"
    );
    if (request !== undefined) draft.todo(request, "middleware");
    if (isFn(node)) convertAuthInfoIn(draft, node.getParameters()[0]?.getNameNode());
    this.#lists.middleware.push(draft.renderAt(node, indent + draft.unit));
  }

  #definition(registration: Registration, indent: string): string {
    const fn = registration.handler;
    if (fn !== undefined) this.#handlers.add(fn);
    return definitionText(this.#draft, registration, this.#library, this.#convertUses, indent);
  }

  /** Uses of the server in a handler. */
  readonly #convertUses = (handler: Handler): void => {
    for (const use of this.#uses) {
      if (use.getAncestors().includes(handler.fn)) convertServerUse(this.#draft, use, handler);
    }
    this.#handlers.add(handler.fn);
  };

  #partsName(): string {
    return this.#parts ??= this.#draft.freeName("parts", "serverParts");
  }

  #partsText(): string {
    const { imports } = this.#draft;
    const tool = imports.use("toolwire", "AnyTool", { isType: true });
    const resource = imports.use("toolwire/mcp", "Resource", { isType: true });
    const prompt = imports.use("toolwire/mcp", "Prompt", { isType: true });
    return `const ${this.#parts} = { tools: [] as ${tool}[], resources: [] as ${resource}[], prompts: [] as ${prompt}[] };`;
  }

  #serverText(created: NewExpression, indent: string): string {
    return serverOptions(this.#draft, created, this.#lists, this.#parts, indent);
  }
}

const CHAINED: ReadonlySet<string> = new Set(["use", "group", "onError"]);

/** `tools.register(server)`: a method, or a function of a module, that registers; not `transport.bind(server)` of a package. */
function registersByMethod(call: CallExpression, server: Identifier): boolean {
  const callee = call.getExpression();
  const index = call.getArguments().indexOf(server);
  if (!Node.isPropertyAccessExpression(callee) || index === -1) return false;
  const declared = definitionsOf(callee.getNameNode()).filter((one) => !one.getSourceFile().isInNodeModules());
  const fns = declared.map((one) => Node.isVariableDeclaration(one) ? one.getInitializer() : one);
  return fns.some((fn) =>
    (isFn(fn) || Node.isMethodSignature(fn)) && fn.getParameters()[index]?.getTypeNode()?.getText() === "McpServer"
  );
}

/** The statement of a block that contains a node. */
function statementIn(block: Block | SourceFile, node: Node): Statement | undefined {
  return block.getStatements().find((one) => one.getPos() <= node.getPos() && one.getEnd() >= node.getEnd());
}

function isTransportCall(call: CallExpression): boolean {
  return membersOf(call.getArguments()[0]) !== undefined;
}
