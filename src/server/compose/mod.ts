/**
 * Servers composed of servers: parts, and gateways to remote servers.
 *
 * @module
 */
export { group, type Grouped, type GroupOptions, mount, type Separator, type ToolsIn } from "./group.ts";
export { gateway } from "./gateway.ts";
export type { AccessOptions } from "../../core/tool/access.ts";
export type { ListSizeOptions } from "../../core/json_schema/compact.ts";
export type { Gateway, GatewayOptions } from "./gateway_types.ts";
