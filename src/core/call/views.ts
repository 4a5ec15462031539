/** MCP Apps (SEP-1865) as servers, clients and hosts share it: the extension, and which tools are for views alone. */
import { asObject, isJsonObject } from "../../internal/json.ts";

/** Identifier of MCP Apps, the extension for views of tools. */
export const VIEW_EXTENSION = "io.modelcontextprotocol/ui";

/** Media type of the HTML page of a tool's view, by which hosts know it as one of MCP Apps. */
export const VIEW_TYPE = "text/html;profile=mcp-app";

/** Settings with which servers and hosts declare {@link VIEW_EXTENSION} among their capabilities. */
export const VIEW_SETTINGS: { readonly mimeTypes: readonly string[] } = { mimeTypes: [VIEW_TYPE] };

/** Key in the `_meta` of a tool with the URI of its view, from before `_meta.ui.resourceUri`. Set as well, because hosts still read it. */
export const FLAT_VIEW_URI = "ui/resourceUri";

/** Whether a client with these capabilities shows HTML views of MCP Apps. `undefined` if its capabilities are. */
export function supportsViews(capabilities: unknown): boolean | undefined {
  if (capabilities === undefined) return undefined;
  const settings = asObject(asObject(capabilities)["extensions"])[VIEW_EXTENSION];
  if (!isJsonObject(settings)) return false;
  const { mimeTypes } = settings;
  return !Array.isArray(mimeTypes) || mimeTypes.includes(VIEW_TYPE);
}

/** Whether models may call a listed tool: unless `_meta.ui.visibility` is a list without `model`. Otherwise only views of its server may. */
export function isForModels(tool: object): boolean {
  const { _meta: meta } = tool as { readonly _meta?: unknown };
  const { visibility } = asObject(asObject(meta)["ui"]);
  return !Array.isArray(visibility) || visibility.includes("model");
}
