/** The handler of one registration: its parameters, and the context that questions, progress and log lines use. */
import { type Identifier, Node, type ParameterDeclaration } from "ts-morph";
import type { Draft } from "./draft.ts";
import { asksByRounds, type Fn, parameterText, replaceParameters } from "./functions.ts";
import type { Kind } from "./registrations.ts";
import { CONTEXT_TYPES, type Library } from "./tables.ts";

/** Positions of a handler's parameters, from 0: arguments or variables of a URI, context, and the URI of a resource. */
export interface Positions {
  readonly args: number | undefined;
  readonly context: number;
  readonly uri: number | undefined;
}

/** A handler, or a helper that gets its context, while it is converted: its parameters, and the keys of its questions. */
export class Handler {
  readonly draft: Draft;
  readonly fn: Fn;
  readonly library: Library;
  readonly kind: Kind | "helper";
  /** Name of the round, in a handler that asks by rounds. */
  readonly round: string | undefined;
  readonly #positions: Positions;
  #contextName: string | undefined;
  #questions = 0;
  readonly #later: (() => void)[] = [];

  constructor(draft: Draft, fn: Fn, library: Library, kind: Kind | "helper", positions: Positions) {
    this.draft = draft;
    this.fn = fn;
    this.library = library;
    this.kind = kind;
    this.#positions = positions;
    this.round = asksByRounds(draft, fn) ? draft.freeName("round", "currentRound") : undefined;
    const name = this.contextNode;
    if (Node.isIdentifier(name)) this.#contextName = name.getText();
  }

  /** The name of the context. The parameter is added if the handler has none. */
  get context(): string {
    return this.#contextName ??= this.#freeContext();
  }

  /** A name for the session of FastMCP that the function does not use otherwise. */
  get sessionName(): string {
    const isName = (one: Node) => !Node.isPropertyAccessExpression(one.getParent()) && one.getText() === "session";
    const isUsed = this.fn.getDescendants().filter(Node.isIdentifier).some(isName);
    return isUsed ? "callerSession" : "session";
  }

  /** The key of the next question of the handler. */
  nextKey(name: string): string {
    this.#questions++;
    return JSON.stringify(this.#questions === 1 ? name : `${name}_${this.#questions}`);
  }

  /** Whether the handler awaits an answer at a question. */
  get asksInPlace(): boolean {
    return this.#questions > 0;
  }

  /** Runs after all uses of the context were converted: it renders them. */
  later(work: () => void): void {
    this.#later.push(work);
  }

  /** Converts what was left for later, the inner statements first. */
  finish(): void {
    for (const work of this.#later.reverse()) work();
  }

  /** The name or the pattern of the context parameter. */
  get contextNode(): Node | undefined {
    return this.#parameter(this.#positions.context)?.getNameNode();
  }

  /** Writes the parameters; the first one as this text, if it is given. */
  writeParameters(first?: string): void {
    const { args, uri } = this.#positions;
    const texts = [
      first ?? this.#text(args, "_"),
      this.#contextName === undefined ? "_ctx" : `${this.#contextName}${this.#contextType()}`,
      this.#uriText(uri),
    ];
    const count = texts[2] !== undefined
      ? 3
      : this.#contextName !== undefined
      ? 2
      : this.#parameter(args) !== undefined
      ? 1
      : 0;
    if (this.fn.getParameters().length === 0 && count === 0) return;
    replaceParameters(this.draft, this.fn, texts.slice(0, count).map((text) => text ?? "_"));
  }

  /** The type of the context, which a function has from its place unless it is defined apart. */
  #contextType(): string {
    const type = this.#parameter(this.#positions.context)?.getTypeNode();
    const isApart = Node.isFunctionDeclaration(this.fn) || Node.isVariableDeclaration(this.fn.getParent());
    const isKnown = Node.isTypeReference(type) && this.draft.imports.isAny(type.getTypeName(), ...CONTEXT_TYPES);
    if (!isApart || !isKnown || this.kind !== "tool") return "";
    return `: ${this.draft.imports.use("toolwire", "Ctx", { isType: true })}`;
  }

  #text(position: number | undefined, fallback: string): string {
    const parameter = this.#parameter(position);
    return parameter === undefined ? fallback : parameterText(this.draft, parameter);
  }

  /** Converts the URI of a reader, before what is returned: it is a text here, and a `URL` there. */
  convertUris(): void {
    const name = this.#parameter(this.#positions.uri)?.getNameNode();
    if (Node.isIdentifier(name)) { for (const use of this.draft.uses(name)) this.#convertUri(use); }
  }

  /** Name of the parameter that has the URI of a resource, if the handler still uses it. */
  #uriText(position: number | undefined): string | undefined {
    const name = this.#parameter(position)?.getNameNode();
    const [element] = Node.isObjectBindingPattern(name) ? name.getElements() : [];
    const local = element === undefined ? name : element.getNameNode();
    const body = this.fn.getBody();
    if (local === undefined || body === undefined) return undefined;
    return new RegExp(`(?<![\\w$.])${local.getText()}(?![\\w$]|\\s*:)`).test(this.draft.render(body))
      ? local.getText()
      : undefined;
  }

  #convertUri(use: Identifier): void {
    const parent = use.getParent();
    if (Node.isPropertyAccessExpression(parent) && parent.getName() === "href") {
      this.draft.replace(parent, use.getText());
    } else if (Node.isPropertyAccessExpression(parent) && parent.getName() === "toString") {
      const call = parent.getParent();
      if (Node.isCallExpression(call)) this.draft.replace(call, use.getText());
    } else if (!Node.isTemplateSpan(parent)) this.draft.replace(use, `new URL(${use.getText()})`);
  }

  #parameter(position: number | undefined): ParameterDeclaration | undefined {
    return position === undefined ? undefined : this.fn.getParameters()[position];
  }

  #freeContext(): string {
    const names = new Set(this.fn.getDescendants().filter(Node.isIdentifier).map((one) => one.getText()));
    return names.has("ctx") ? this.draft.freeName("context", "callContext") : "ctx";
  }
}

/** Positions of the parameters of a registered handler, as its library passes them. */
export function positionsOf(library: Library, kind: Kind, hasArgs: boolean, isTemplate: boolean): Positions {
  if (library === "fastmcp" && kind !== "tool") {
    return { args: hasArgs ? 0 : undefined, context: hasArgs ? 2 : 1, uri: undefined };
  }
  if (library === "fastmcp") return { args: 0, context: 1, uri: undefined };
  if (kind !== "resource") return { args: hasArgs ? 0 : undefined, context: hasArgs ? 1 : 0, uri: undefined };
  if (library === "mcp-lite" || isTemplate) return { args: 1, context: 2, uri: 0 };
  return { args: undefined, context: 1, uri: 0 };
}
