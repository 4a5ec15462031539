/** Tools that are enabled and disabled while the server runs: a variable has the state, and `.visibleTo()` reads it. */
import { type CallExpression, type Identifier, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { isFn } from "./functions.ts";
import { membersOf } from "./registrations.ts";

/** Values of the methods of a registered tool. */
const VALUES: Readonly<Record<string, string>> = { enable: "true", disable: "false", remove: "false" };

/** The tools of one server that are enabled and disabled. */
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

  /** Converts what follows `const tool = server.registerTool(…)`, if this is what a use of the server is. */
  find(server: Identifier, block: Node): void {
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
