/**
 * Servers composed of servers: parts, and gateways to remote servers. It is needed to serve several servers, own or foreign, at one
 * address.
 *
 * @example Two servers as one
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { group } from "jsr:@toolwire/toolwire/compose";
 *
 * const find = defineTool("find").describe("Find a file").handle(() => "a.txt");
 * const files = createServer({ tools: [find] });
 * const all = createServer({ tools: [], parts: [group("files", files)] });
 * console.log(all.tools[0]?.name); // → files_find
 * ```
 *
 * @module
 */
export {
  group,
  type Grouped,
  type GroupOptions,
  mount,
  type Separator,
  type ToolsIn,
} from "../server/compose/group.ts";
export { gateway } from "../server/compose/gateway.ts";
export type { AccessOptions } from "../core/tool/access.ts";
export type { ListSizeOptions } from "../core/json_schema/compact.ts";
export type { Gateway, GatewayOptions } from "../server/compose/gateway_types.ts";
