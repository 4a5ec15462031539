/** `server.onError(…)` of mcp-lite, which is an option here: it returns a failure in place of a number, a message and data. */
import { Node } from "ts-morph";
import { convertContext } from "./context_members.ts";
import type { Draft } from "./draft.ts";
import { expressionBody, isFn, resolveFn, returnsOf } from "./functions.ts";
import { Handler } from "./handler.ts";
import { bare, membersOf } from "./registrations.ts";
import { errorText } from "./rpc_errors.ts";

/** Converts an error handler, and returns its text. A function from elsewhere is marked for a person. */
export function errorHandlerText(draft: Draft, node: Node, indent: string): string {
  const fn = resolveFn(draft, node);
  if (fn === undefined) draft.todo(node, "error-handler");
  else {
    const handler = new Handler(draft, fn, "mcp-lite", "helper", { args: undefined, context: 1, uri: undefined });
    convertContext(handler);
    handler.finish();
    const body = expressionBody(fn);
    if (body !== undefined) convertReturned(draft, body);
    for (const statement of returnsOf(fn)) {
      const value = statement.getExpression();
      if (value !== undefined) convertReturned(draft, value);
    }
  }
  return isFn(node) ? draft.renderAt(node, indent) : draft.render(node);
}

function convertReturned(draft: Draft, node: Node): void {
  const value = bare(node);
  if (value === undefined || value.getText() === "undefined") return;
  if (Node.isConditionalExpression(value)) {
    for (const branch of [value.getWhenTrue(), value.getWhenFalse()]) convertReturned(draft, branch);
    return;
  }
  const members = membersOf(value);
  const isKnown = members !== undefined && [...members.keys()].every((name) => /^(code|message|data)$/.test(name));
  const text = isKnown ? errorText(draft, members.get("code"), members.get("message"), members.get("data")) : undefined;
  if (text === undefined) draft.todo(node, "error-handler");
  else draft.replace(node, text);
}
