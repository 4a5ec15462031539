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
  if (!Node.isCallExpression(call) || call.getExpression() !== access) return left(draft, use, todoOf(name));
  const list = LISTS[name];
  const convert = IN_HANDLER[name];
  if (list !== undefined) draft.replace(awaited(call), `${use.getText()}.notify.listChanged("${list}")`);
  else if (name === "createElicitationCompletionNotifier") {
    draft.note(call, "completion");
    draft.replace(call, "(async () => {})");
  } else if (name === "sendResourceUpdated") updated(draft, use, call);
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
