import type { Resource } from "../core/content/content_catalog.ts";
import type { ToolDefinition } from "../core/tool/definition.ts";

/** The page of a tool with a view, as a resource of the server for the callers who may see the tool. */
export function viewPage({ resource, isVisible }: ToolDefinition): readonly Resource[] {
  if (resource === undefined) return [];
  // The one cast: definitions of tools are below the module of resources.
  const page = resource as Resource;
  return [isVisible === undefined ? page : { ...page, "~resource": { ...page["~resource"], isVisible } }];
}
