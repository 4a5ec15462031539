/** Uses of a server, beside registering: questions, log lines, changes and transports. */
import { type CallExpression, type Identifier, Node } from "ts-morph";
import type { Draft } from "./draft.ts";
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

/** Converts `server.method()` and `server.server.method()`. */
export function convertServerUse(draft: Draft, use: Identifier, handler: Handler | undefined): void {
  const inner = use.getParent();
  if (!Node.isPropertyAccessExpression(inner) || inner.getExpression() !== use) return;
  const outer = inner.getParent();
  const access = inner.getName() === "server" && Node.isPropertyAccessExpression(outer) ? outer : inner;
  const name = access.getName();
  if (KEPT.has(name)) return;
  const call = access.getParent();
  if (!Node.isCallExpression(call) || call.getExpression() !== access) return draft.todo(use, todoOf(name));
  const list = LISTS[name];
  const convert = IN_HANDLER[name];
  if (list !== undefined) draft.replace(call, `${use.getText()}.notify.listChanged("${list}")`);
  else if (name === "sendResourceUpdated") updated(draft, use, call);
  else if (convert !== undefined && handler !== undefined) convert(handler, call);
  else draft.todo(use, todoOf(name));
}

function updated(draft: Draft, use: Identifier, call: CallExpression): void {
  const uri = membersOf(call.getArguments()[0])?.get("uri");
  if (uri === undefined) return draft.todo(use, "server-use");
  draft.replace(call, `${use.getText()}.notify.resourceUpdated(${draft.render(uri)})`);
}

function todoOf(name: string): "low-level" | "server-use" {
  return name === "setRequestHandler" ? "low-level" : "server-use";
}
