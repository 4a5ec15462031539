/**
 * Servers composed of servers: parts, and gateways to remote servers.
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
