/**
 * Views of remote MCP servers. Their URIs begin with the name of the gateway here, so that the page of one server cannot take the place of
 * another server's page, which would then receive its results.
 */
import { FLAT_VIEW_URI, VIEW_EXTENSION } from "../../core/call/views.ts";
import type { ResourceDefinition } from "../../core/content/resource.ts";
import { joinViews } from "../../core/content/extension.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import { asObject, isJsonObject, type Members } from "../../internal/json.ts";

const SCHEME = "ui://";

/** Whether a server declares the extension for views in its capabilities, or one of its tools has a view. */
export function hasViews({ extensions }: Members, tools: readonly Pick<ToolDefinition, "meta">[]): boolean {
  return isJsonObject(asObject(extensions)[VIEW_EXTENSION]) || tools.some(({ meta = {} }) => FLAT_VIEW_URI in meta);
}

/** The URI that a resource of a server has here. Those that are not of views are unchanged. */
export function toLocalUri(gateway: string, uri: string): string {
  return uri.startsWith(SCHEME) ? `${prefixOf(gateway)}${uri.slice(SCHEME.length)}` : uri;
}

/** The URI that a resource here has at its server: the opposite of {@link toLocalUri}. */
export function toRemoteUri(gateway: string, uri: string): string {
  const prefix = prefixOf(gateway);
  return uri.startsWith(prefix) ? `${SCHEME}${uri.slice(prefix.length)}` : uri;
}

function prefixOf(gateway: string): string {
  return `${SCHEME}${gateway.replace(/[^A-Za-z0-9_.-]/g, "-")}/`;
}

/** The `_meta` of a tool with the URI of its view here, as `ui.resourceUri` and by the flat key. Unchanged for a tool without a view. */
export function toLocalMeta(gateway: string, meta: Members | undefined): Members | undefined {
  const ui = asObject(meta?.["ui"]);
  const remote = ui["resourceUri"] ?? meta?.[FLAT_VIEW_URI];
  if (typeof remote !== "string") return meta;
  const resourceUri = toLocalUri(gateway, remote);
  return { ...meta, ui: { ...ui, resourceUri }, [FLAT_VIEW_URI]: resourceUri };
}

/** Makes the template that reads all views of a server: not listed, with the extension for views. A reason of refusal is unchanged. */
export function unlistedViews(template: ResourceDefinition | string): ResourceDefinition | string {
  if (typeof template === "string") return template;
  return { ...template, isListed: false, extension: { join: joinViews, data: template.uri } };
}
