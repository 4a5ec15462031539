/** Validators of the variables of a resource: the reader begins with them. */
import { Node } from "ts-morph";
import type { Draft } from "./draft.ts";
import { expressionBody } from "./functions.ts";
import type { Handler } from "./handler.ts";
import { bare, membersOf } from "./registrations.ts";

/** Writes validators into the reader, after its results were converted. Those of variables that the reader does not take are kept as comments. */
export function addValidators(
  draft: Draft,
  handler: Handler,
  validators: ReadonlyMap<string, Node> = new Map(),
): void {
  const lines = [...validators].flatMap(([name, schema]) => {
    const line = validatorText(draft, handler, name, schema);
    if (line === undefined) draft.keepText(schema.getParentOrThrow(), "validators");
    return line ?? [];
  });
  if (lines.length > 0) beginWith(draft, handler, lines);
}

/** The statement that validates a variable. `undefined` if the reader does not name it. */
function validatorText(draft: Draft, handler: Handler, name: string, schema: Node): string | undefined {
  const variables = handler.fn.getParameters()[1]?.getNameNode();
  const validate = (value: string) => `${handler.context}.validate(${draft.render(schema)}, ${value})`;
  if (Node.isIdentifier(variables)) {
    const all = variables.getText();
    return `${all} = { ...${all}, ${name}: ${validate(`${all}.${name}`)} };`;
  }
  const locals = Node.isObjectBindingPattern(variables) ? variables.getElements() : [];
  const local = locals.find((one) => (one.getPropertyNameNode() ?? one.getNameNode()).getText() === name);
  return local === undefined ? undefined : `${local.getName()} = ${validate(local.getName())};`;
}

/** Puts statements at the start of a function. One that is an expression gets a body. */
function beginWith(draft: Draft, { fn }: Handler, lines: readonly string[]): void {
  const indent = `${draft.eol}${draft.indentOf(fn)}`;
  const text = lines.map((line) => `${indent}${draft.unit}${line}`).join("");
  const expression = expressionBody(fn);
  const body = fn.getBody();
  if (expression === undefined) return draft.edits.insert((body?.getStart() ?? 0) + 1, text);
  const value = draft.render(expression);
  const isLiteral = membersOf(bare(expression)) !== undefined && value.startsWith("({");
  // A result with `_meta` has a body already: `{ ctx.meta(…); return … }`.
  const last = value.startsWith("{") ? value.slice(2, -2) : `return ${isLiteral ? value.slice(1, -1) : value};`;
  draft.replace(expression, `{${text}${indent}${draft.unit}${last}${indent}}`);
}
