/** Uses of a server, beside registering: questions, log lines, changes and transports. Tools that are enabled and disabled have a variable, which `.visibleTo()` reads. */
import { type CallExpression, type Identifier, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { convertStart } from "./fastmcp.ts";
import { isFn } from "./functions.ts";
import type { Handler } from "./handler.ts";
import { convertLoggingMessage } from "./notifications.ts";
import { convertElicit, convertRoots, convertSample } from "./questions.ts";
import { membersOf } from "./registrations.ts";

const IN_HANDLER: Readonly<Record<string, (handler: Handler, call: CallExpression) => void>> = {
  elicitInput: convertElicit,
  createMessage: convertSample,
  listRoots: convertRoots,
  sendLoggingMessage: convertLoggingMessage,
};

const LISTS: Readonly<Record<string, string>> = {
  sendToolListChanged: "tools",
  sendResourceListChanged: "resources",
  sendPromptListChanged: "prompts",
};

/** Methods that stay. */
const KEPT: ReadonlySet<string> = new Set(["connect", "close", "fetch"]);

/** Converts a use of a server that does not register: questions and log lines of a handler, notices. Unknown ones are marked. */
export function convertServerUse(draft: Draft, use: Identifier, handler: Handler | undefined): void {
  const inner = use.getParent();
  if (!Node.isPropertyAccessExpression(inner) || inner.getExpression() !== use) return;
  const outer = inner.getParent();
  const access = inner.getName() === "server" && Node.isPropertyAccessExpression(outer) ? outer : inner;
  const name = access.getName();
  if (KEPT.has(name)) return;
  const call = access.getParent();
  if (!Node.isCallExpression(call) || call.getExpression() !== access) return left(draft, use, todoOf(name));
  const list = LISTS[name];
  const convert = IN_HANDLER[name];
  if (list !== undefined) draft.replace(awaited(call), `${use.getText()}.notify.listChanged("${list}")`);
  else if (name === "createElicitationCompletionNotifier") {
    draft.note(call, "completion");
    draft.replace(call, "(async () => {})");
  } else if (name === "sendResourceUpdated") updated(draft, use, call);
  else if (name === "start" && draft.imports.library === "fastmcp") convertStart(draft, use.getText(), call);
  else if (convert !== undefined && handler !== undefined) convert(handler, call);
  else left(draft, use, todoOf(name));
}

/** A statement that begins with the server would fail: it is commented out. */
function left(draft: Draft, use: Identifier, code: "low-level" | "server-use"): void {
  const statement = use.getFirstAncestor(Node.isStatement);
  const isAlone = Node.isExpressionStatement(statement) && statement.getStart() === use.getStart();
  if (isAlone) draft.commentOut(statement, code);
  else draft.todo(use, code);
}

function updated(draft: Draft, use: Identifier, call: CallExpression): void {
  const uri = membersOf(call.getArguments()[0])?.get("uri");
  if (uri === undefined) return draft.todo(use, "server-use");
  draft.replace(awaited(call), `${use.getText()}.notify.resourceUpdated(${draft.render(uri)})`);
}

/** The call with `.catch(…)` after it and `await` before it: changes are published at once. */
function awaited(call: Node): Node {
  const [access, chained] = [call.getParent(), call.getParent()?.getParent()];
  const isCaught = Node.isPropertyAccessExpression(access) && access.getName() === "catch" &&
    Node.isCallExpression(chained);
  const whole = isCaught ? chained : call;
  const parent = whole.getParent();
  return Node.isAwaitExpression(parent) || Node.isVoidExpression(parent) ? parent : whole;
}

function todoOf(name: string): "low-level" | "server-use" {
  return name === "setRequestHandler" ? "low-level" : "server-use";
}

/** Values of the methods of a registered tool. */
const VALUES: Readonly<Record<string, string>> = { enable: "true", disable: "false", remove: "false" };

/** The tools of one server that code enables, disables or removes later. Each gets a variable, which `.visibleTo()` reads. */
export class ToolSwitches {
  readonly #draft: Draft;
  readonly #names = new Map<Node, string>();

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /** Name of the variable of a registration. `undefined` if its tool is always enabled. */
  get(registration: CallExpression): string | undefined {
    return this.#names.get(registration);
  }

  /** Converts what follows `const tool = server.registerTool(…)`, if this is what a use of the server is. A server of each session had its own. */
  find(server: Identifier, block: Node, isRunOften: boolean): void {
    const access = server.getParent();
    const call = access?.getParent();
    if (!Node.isPropertyAccessExpression(access) || !/^(registerTool|tool)$/.test(access.getName())) return;
    const declaration = call?.getParent();
    if (!Node.isCallExpression(call) || !Node.isVariableDeclaration(declaration)) return;
    const name = declaration.getNameNode();
    const statement = declaration.getVariableStatementOrThrow();
    if (!Node.isIdentifier(name) || statement.getParent() !== block) return;
    const uses = this.#draft.uses(name);
    if (!uses.some((use) => switchOf(use) !== undefined)) return;
    const enabled = this.#draft.freeName(`${name.getText()}Enabled`, `${name.getText()}IsEnabled`);
    this.#names.set(call, enabled);
    if (isRunOften) this.#draft.todo(statement, "factory-state");
    this.#draft.edits.insert(
      statement.getStart(),
      `let ${enabled} = true;${this.#draft.eol}${this.#draft.indentOf(statement)}`,
    );
    for (const use of uses) this.#convert(use, enabled, server.getText(), block);
  }

  #convert(use: Identifier, enabled: string, server: string, block: Node): void {
    const draft = this.#draft;
    const found = switchOf(use);
    if (found === undefined) return draft.todo(use, "after-creation");
    if (found.value === undefined) return draft.replace(found.node, enabled);
    const value = typeof found.value === "string" ? found.value : draft.render(found.value);
    const owner = use.getFirstAncestor(isFn);
    const parent = found.node.getParent();
    const assigned = `${enabled} = ${value}`;
    const isLater = owner !== undefined && owner.getAncestors().includes(block);
    if (!isLater) return draft.replace(found.node, assigned);
    const indent = draft.indentOf(found.node);
    const changed = `${server}.notify.listChanged("tools");`;
    if (Node.isArrowFunction(parent)) return draft.replace(found.node, `{ ${assigned}; ${changed} }`);
    if (!Node.isExpressionStatement(parent)) return draft.todo(use, "after-creation");
    const isAlone = !Node.isBlock(parent.getParent());
    const text = isAlone ? `{ ${assigned}; ${changed} }` : `${assigned};${draft.eol}${indent}${changed}`;
    draft.replace(parent, text);
  }
}

/** A place that enables, disables or removes a tool. */
interface Switch {
  readonly node: Node;
  /** What is assigned. `undefined` if `enabled` is read. */
  readonly value: string | Node | undefined;
}

/** `tool.disable()`, `tool.update({ enabled })`, `tool.enabled`. */
function switchOf(use: Identifier): Switch | undefined {
  const access = use.getParent();
  if (!Node.isPropertyAccessExpression(access) || access.getExpression() !== use) return undefined;
  const call = access.getParent();
  const isCall = Node.isCallExpression(call) && call.getExpression() === access;
  if (!isCall) return access.getName() === "enabled" ? { node: access, value: undefined } : undefined;
  const value = VALUES[access.getName()];
  if (value !== undefined) return { node: call, value };
  const members = access.getName() === "update" ? membersOf(call.getArguments()[0]) : undefined;
  const given = members?.get("enabled");
  return members?.size === 1 && given !== undefined ? { node: call, value: given } : undefined;
}
