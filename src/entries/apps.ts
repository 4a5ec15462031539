/**
 * MCP Apps (SEP-1865): pages that hosts show for the calls of a tool. The page's side is `./apps/view`.
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
