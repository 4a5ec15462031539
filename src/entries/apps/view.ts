/**
 * The page's side of MCP Apps (SEP-1865): a view that is connected to its host, with the types of its server. The script of such a page
 * needs it; it is for browsers and has no dependencies.
 *
 * @example A page that shows results
 * ```ts fragment show
 * import { connectView } from "jsr:@toolwire/toolwire/apps/view";
 *
 * const view = await connectView({ onResult: (result) => show(result.kind === "answer" ? result.value : result.kind) });
 * console.log(typeof view);
 * ```
 *
 * @module
 */
export { connectView } from "../../integrations/apps/view/connect_view.ts";
export type {
  ConnectViewOptions,
  DisplayMode,
  HostContext,
  HostDescription,
  ModelContextUpdate,
  PartialInput,
  UntypedToolTypes,
  UntypedView,
  View,
  ViewCallOptions,
  ViewMethods,
  ViewResult,
  ViewToolCall,
  ViewToolName,
  ViewToolTypes,
} from "../../integrations/apps/view/types.ts";
export { Failure } from "../../core/errors/failure.ts";
export { ToolError } from "../../core/errors/tool_error.ts";
