import type { ListedTool } from "./transport.ts";

/** Whether a listed tool is `redeem` or `cancel` of a server that promises. A server of others may have a `cancel` of its own, which takes no promise. */
export function isSystemTool({ name, inputSchema }: ListedTool): boolean {
  const required = inputSchema?.["required"];
  return (name === "redeem" || name === "cancel") && Array.isArray(required) && required.includes("promise");
}
