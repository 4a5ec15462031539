/** What handlers of prompts and readers of resources return: messages, and parts of contents. */
import { Node, type ObjectLiteralExpression } from "ts-morph";
import type { Draft } from "./draft.ts";
import { dropReturnType, expressionBody, type Fn, isFn, resolveFn, returnsOf } from "./functions.ts";
import { bare, membersOf } from "./registrations.ts";
import { textOfBlock } from "./results.ts";

/** Replaces each `{ [member]: value }` that a function returns by `toText(value)`. Another expression gets `.member` and a marker. */
export function unwrapReturns(
  draft: Draft,
  fn: Fn,
  member: string,
  toText: (value: Node) => string,
  context: () => string,
): void {
  dropReturnType(draft, fn);
  const body = expressionBody(fn);
  const returned = returnsOf(fn).map((statement) => ({ owner: statement, value: statement.getExpression() }));
  for (const { owner, value } of body === undefined ? returned : [{ owner: fn, value: body }]) {
    if (value !== undefined) unwrap(draft, value, owner, member, toText, context);
  }
}

function unwrap(
  draft: Draft,
  node: Node,
  owner: Node,
  member: string,
  toText: (value: Node) => string,
  context: () => string,
): void {
  const value = bare(node);
  if (Node.isConditionalExpression(value)) {
    for (const branch of [value.getWhenTrue(), value.getWhenFalse()]) {
      unwrap(draft, branch, branch, member, toText, context);
    }
    return;
  }
  const call = bare(Node.isAwaitExpression(value) ? value.getExpression() : value);
  const helper = Node.isCallExpression(call) ? resolveFn(draft, call.getExpression()) : undefined;
  if (helper !== undefined) return unwrapReturns(draft, helper, member, toText, context);
  const members = membersOf(value);
  const inner = members?.get(member);
  if (members === undefined || inner === undefined) {
    draft.todo(node, "result");
    return draft.replace(node, `(${draft.render(node)}).${member}`);
  }
  // A prompt returns its description beside the messages.
  const text = member === "messages" && members.has("description") ? described(draft, members, inner) : toText(inner);
  const wrapped = isFn(owner) && text.startsWith("{") ? `(${text})` : text;
  const meta = members.get("_meta");
  const statement = meta === undefined ? "" : `${context()}.meta(${draft.render(meta)});`;
  draft.replace(node, wrapped);
  if (meta === undefined) return;
  if (isFn(owner)) draft.replace(node, `{ ${statement} return ${text}; }`);
  else if (!Node.isReturnStatement(owner)) draft.todo(node, "result");
  else draft.replace(owner, `${statement}${draft.eol}${draft.indentOf(owner)}return ${text};`);
}

function described(draft: Draft, members: ReadonlyMap<string, Node>, messages: Node): string {
  const description = draft.render(members.get("description") as Node);
  const first = description === "description" ? description : `description: ${description}`;
  return `{ ${first}, messages${messages.getText() === "messages" ? "" : `: ${draft.render(messages)}`} }`;
}

/** Returns the text of a prompt's messages: one text message of the user becomes that text, other messages stay. */
export function messagesText(draft: Draft, node: Node): string {
  const array = bare(node);
  const [message, ...others] = Node.isArrayLiteralExpression(array) ? array.getElements() : [];
  const members = membersOf(bare(message));
  const role = bare(members?.get("role"));
  const text = textOfBlock(members?.get("content"));
  const isUser = Node.isStringLiteral(role) && role.getLiteralValue() === "user";
  return others.length === 0 && isUser && text !== undefined ? draft.render(text) : draft.render(node);
}

/** Facts of a resource that parts of its contents need not repeat: URI and MIME type. */
export interface ResourceFacts {
  /** The URI or template, as it was written. */
  readonly uri: string;
  readonly mimeType: string | undefined;
  /** Texts of the URI in the handler: `uri.href`. */
  readonly sameUri: ReadonlySet<string>;
}

/** Returns the text of a resource's contents: one part with a text alone becomes that text, other parts lose repeated members. */
export function contentsText(draft: Draft, node: Node, facts: ResourceFacts): string {
  const array = bare(node);
  const elements = Node.isArrayLiteralExpression(array) ? array.getElements() : [];
  const [only] = elements;
  const members = [...membersOf(bare(only)) ?? []].filter(([name, value]) => !isRepeated(name, value, facts));
  const [text] = members;
  // Rendered before the part is replaced.
  if (elements.length === 1 && members.length === 1 && text?.[0] === "text") return draft.render(text[1]);
  for (const part of node.getDescendants().filter(Node.isObjectLiteralExpression)) convertPart(draft, part, facts);
  return elements.length === 1 && only !== undefined ? draft.render(only) : draft.render(node);
}

function convertPart(draft: Draft, part: ObjectLiteralExpression, facts: ResourceFacts): void {
  const members = membersOf(part);
  if (members?.has("uri") !== true || !(members.has("text") || members.has("blob"))) return;
  const texts = [...members]
    .filter(([name, value]) => !isRepeated(name, value, facts))
    .map(([name, value]) => {
      const key = name === "_meta" ? "meta" : name;
      return draft.render(value) === key ? key : `${key}: ${draft.render(value)}`;
    });
  draft.replace(part, `{ ${texts.join(", ")} }`);
}

function isRepeated(name: string, value: Node, { uri, mimeType, sameUri }: ResourceFacts): boolean {
  const text = value.getText();
  if (name === "uri") return text === uri || sameUri.has(text);
  // A marker of mcp-lite.
  if (name === "type") return true;
  return name === "mimeType" && mimeType?.replaceAll("'", '"') === text.replaceAll("'", '"');
}
