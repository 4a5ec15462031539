/**
 * Servers made of servers: parts under one roof, and servers elsewhere as if they were here.
 *
 * @module
 */
export { group, type Grouped, type GroupOptions, mount, type Separator, type ToolsIn } from "./group.ts";
export { type Gateway, gateway, type GatewayOptions } from "./gateway.ts";
