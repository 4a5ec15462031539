/**
 * MCP Apps (SEP-1865): pages that hosts show for the calls of a tool. A server needs it to attach a page to a tool; the page's side is
 * `./apps/view`.
 *
 * @example A tool with a page
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { view } from "jsr:@toolwire/toolwire/apps";
 *
 * const html = "<!doctype html><title>Sales</title>";
 * const sales = defineTool("sales").describe("Sales of a month").view(view({ html })).handle(() => 42);
 * console.log(createServer({ tools: [sales] }).tools.length); // → 1
 * ```
 *
 * @module
 */
export {
  view,
  type ViewCsp,
  type ViewOptions,
  type ViewPermission,
  type ViewVisibility,
} from "../integrations/apps/view.ts";
export type { PageSource } from "../integrations/apps/runtime/page.ts";
export type { ToolView } from "../core/tool/definition.ts";
