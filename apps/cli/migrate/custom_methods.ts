/** Methods that are not MCP's: `server.server.setRequestHandler(…)` becomes a member of `mcp({ methods })`. */
import { type CallExpression, type Identifier, Node } from "ts-morph";
import { convertContext } from "./context_members.ts";
import type { Draft } from "./draft.ts";
import { dropReturnType, type Fn, resolveFn } from "./functions.ts";
import { Handler } from "./handler.ts";
import { bare, membersOf, resolveConst } from "./registrations.ts";
import type { Library } from "./tables.ts";

/** A method as it was registered. */
interface MethodCall {
  readonly name: string;
  readonly params: Node | undefined;
  readonly result: Node | undefined;
  readonly handler: Node | undefined;
  /** Whether the handler receives the whole request, as in 1.x. */
  readonly takesRequest: boolean;
}

/** Names that a server here may have: with a prefix that is not MCP's. */
const OWN_NAME =
  /^(?!(completion|elicitation|io\.modelcontextprotocol|logging|mcp|modelcontextprotocol|notifications|prompts|resources|roots|rpc|sampling|server|skills|subscriptions|tasks|tools|ui)[/.])[^\s/.]+[/.]\S+$/;

/** The call `server.server.setRequestHandler(…)` that a use of the server begins. */
export function requestHandlerCall(use: Identifier): CallExpression | undefined {
  const inner = use.getParent();
  const access = Node.isPropertyAccessExpression(inner) && inner.getName() === "server" ? inner.getParent() : inner;
  const call = access?.getParent();
  const isCall = Node.isPropertyAccessExpression(access) && access.getName() === "setRequestHandler" &&
    Node.isCallExpression(call) && call.getExpression() === access;
  return isCall ? call : undefined;
}

/** Text of the member of `methods`. `undefined` if the method is MCP's, has no prefix, or is not known here. */
export function methodText(
  draft: Draft,
  call: CallExpression,
  library: Library,
  convertUses: (handler: Handler) => void,
): string | undefined {
  const method = readMethod(call);
  const fn = resolveFn(draft, method?.handler);
  if (method === undefined || fn === undefined || fn !== method.handler || !OWN_NAME.test(method.name)) {
    return undefined;
  }
  const first = paramsText(draft, fn, method);
  if (first === undefined) return undefined;
  const handler = new Handler(draft, fn, library, "helper", { args: 0, context: 1, uri: undefined });
  convertContext(handler);
  convertUses(handler);
  handler.finish();
  handler.writeParameters(first);
  dropReturnType(draft, fn);
  const indent = draft.indentOf(call);
  const text = draft.renderAt(fn, indent + draft.unit);
  const errors = [...new Set(text.match(/(?<="error_)\d+(?=")/g))].filter((number) => isAllowed(-Number(number)));
  const members = [
    ...(method.params === undefined ? [] : [`params: ${draft.render(withoutOptional(method.params))}`]),
    ...(method.result === undefined ? [] : [`result: ${draft.render(method.result)}`]),
    ...(errors.length === 0 ? [] : [`errors: { ${errors.map((number) => `error_${number}: -${number}`).join(", ")} }`]),
    `handle: ${text}`,
  ];
  return `${JSON.stringify(method.name)}: { ${members.join(", ")} }`;
}

/** Numbers that `errors` takes. */
function isAllowed(number: number): boolean {
  return number < -32_768 || (number > -32_020 && number !== -32_001 && number !== -32_002);
}

function readMethod(call: CallExpression): MethodCall | undefined {
  const [first, second, third] = call.getArguments();
  if (Node.isStringLiteral(first)) {
    const schemas = third === undefined ? new Map<string, Node>() : membersOf(second);
    if (schemas === undefined) return undefined;
    const [params, result] = [schemas.get("params"), schemas.get("result")];
    return {
      name: first.getLiteralValue(),
      params,
      result,
      handler: third ?? second,
      takesRequest: third === undefined,
    };
  }
  const schema = bare(resolveConst(first));
  const shape = Node.isCallExpression(schema) ? membersOf(schema.getArguments()[0]) : undefined;
  const literal = shape?.get("method");
  const [name] = Node.isCallExpression(literal) ? literal.getArguments() : [];
  if (!Node.isStringLiteral(name)) return undefined;
  const params = shape?.get("params");
  return { name: name.getLiteralValue(), params, result: undefined, handler: second, takesRequest: true };
}

/** Parameters are an object here, which may be empty. */
function withoutOptional(params: Node): Node {
  const access = Node.isCallExpression(params) ? params.getExpression() : undefined;
  return Node.isPropertyAccessExpression(access) && access.getName() === "optional" ? access.getExpression() : params;
}

/** The first parameter of the handler: the parameters, where it received the request. `undefined` if it uses more of it. */
function paramsText(draft: Draft, fn: Fn, { takesRequest }: MethodCall): string | undefined {
  const parameter = fn.getParameters()[0];
  const name = parameter?.getNameNode();
  if (parameter === undefined) return "_params";
  if (!takesRequest) return parameter.getNameNode().getText();
  if (Node.isObjectBindingPattern(name)) {
    const [element, ...others] = name.getElements();
    const isParams = (element?.getPropertyNameNode() ?? element?.getNameNode())?.getText() === "params";
    return isParams && others.length === 0 ? element?.getNameNode().getText() : undefined;
  }
  if (!Node.isIdentifier(name)) return undefined;
  const accesses = draft.uses(name).map((use) => use.getParent());
  const isAll = accesses.every((one) => Node.isPropertyAccessExpression(one) && one.getName() === "params");
  if (!isAll) return undefined;
  const text = draft.freeName("params", "methodParams");
  for (const access of accesses) if (access !== undefined) draft.replace(access, text);
  return text;
}
