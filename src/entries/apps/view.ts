/**
 * The page's side of MCP Apps (SEP-1865): a view that is connected to its host, with the types of its server. For browsers, without
 * dependencies.
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
