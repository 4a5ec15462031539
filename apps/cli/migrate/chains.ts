/** Calls that are chained to a server. */
import { type CallExpression, Node } from "ts-morph";

/** One call of a chain, and the name of its method. */
export interface Chained {
  readonly call: CallExpression;
  readonly method: string;
}

/** The calls of `new McpServer(…).tool(…).group(…)`, or of `server.tool(…).tool(…)`. */
export function chainOf(created: Node): readonly Chained[] {
  const calls: Chained[] = [];
  let node: Node = created;
  for (;;) {
    const access = node.getParent();
    const call = access?.getParent();
    if (!Node.isPropertyAccessExpression(access) || access.getExpression() !== node || !Node.isCallExpression(call)) {
      return calls;
    }
    calls.push({ call, method: access.getName() });
    node = call;
  }
}
