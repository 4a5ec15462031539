import { FLAT_VIEW_URI, VIEW_TYPE } from "../../core/call/views.ts";
import type { Resource } from "../../core/content/content_catalog.ts";
import { defineResource } from "../../core/content/define_resource.ts";
import { joinViews } from "../../core/content/extension.ts";
import { sha256Hex } from "../../core/token/digest.ts";
import type { ToolView, ViewedDefinition } from "../../core/tool/definition.ts";
import { asObject, omitUndefined } from "../../internal/json.ts";
import {
  BOOLEAN,
  checkOptions,
  OBJECT,
  type OptionRule,
  type OptionRules,
  rule,
  TEXT,
} from "../../internal/options.ts";
import { openPage, type Page, type PageSource } from "./runtime/page.ts";

/** Origins that a view uses, such as `https://api.example.com`, or `https://*.example.com` for all hosts below it. */
export interface ViewCsp {
  /** Origins of `fetch`, WebSockets and the like. Default: none, the view has no network. */
  readonly connectDomains?: readonly string[] | undefined;
  /** Origins of scripts, styles, images, fonts and media. Default: none, so that they have to be in the page. */
  readonly resourceDomains?: readonly string[] | undefined;
  /** Origins of frames. Default: none. */
  readonly frameDomains?: readonly string[] | undefined;
  /** Origins of `<base>`. Default: none. */
  readonly baseUriDomains?: readonly string[] | undefined;
}

/** A permission of the browser that the page of a view asks its host for. Hosts may refuse it. */
export type ViewPermission = "camera" | "microphone" | "geolocation" | "clipboardWrite";

/** Who may call a tool: models, views of the same server, or both. */
export type ViewVisibility = "model" | "app";

/** Options of {@link view}. One of `html`, `file` and `url` is the page; a tool with `visibility` alone needs no page. */
export interface ViewOptions extends PageSource {
  /** URI of the page. Default: `ui://<tool>/<digest>`, which changes with the page, so that hosts do not show an old one. */
  readonly uri?: `ui://${string}` | undefined;
  /** Origins that the page uses. Default: none; a page brings its scripts, styles and images along, and has no network. */
  readonly csp?: ViewCsp | undefined;
  /** Permissions that the page asks for. Default: none. */
  readonly permissions?: readonly ViewPermission[] | undefined;
  /** Whether the host draws a border and a background. Default: the host decides. */
  readonly prefersBorder?: boolean | undefined;
  /** Stable origin of the page, in the form that the host documents. Default: the host decides. */
  readonly domain?: string | undefined;
  /**
   * Who may call the tool. `["app"]`, which needs no page, is a tool for views alone: hosts do not show it to models. It does not replace
   * scopes. Default: `["model", "app"]`.
   */
  readonly visibility?: readonly ViewVisibility[] | undefined;
}

const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"];

const ORIGIN = /^(https?|wss?):\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i;

const ORIGINS: OptionRule = rule(
  "an array of origins, such as https://api.example.com or https://*.example.com, without path",
  (value) => Array.isArray(value) && value.every((origin) => typeof origin === "string" && ORIGIN.test(origin)),
);

const CSP: OptionRules<ViewCsp> = {
  connectDomains: ORIGINS,
  resourceDomains: ORIGINS,
  frameDomains: ORIGINS,
  baseUriDomains: ORIGINS,
};

const RULES: OptionRules<ViewOptions> = {
  html: rule("the text of an HTML document", (value) => typeof value === "string"),
  file: rule("a path, or a file: URL", (value) => isAddress(value, /^(?!https?:)./)),
  url: rule("an absolute URL with http: or https:", (value) => isAddress(value, /^https?:\/\/./)),
  uri: rule("like ui://chart/view.html, without spaces and braces", (value) => isAddress(value, /^ui:\/\/[^\s{}]+$/)),
  csp: OBJECT,
  permissions: listOf(PERMISSIONS),
  prefersBorder: BOOLEAN,
  domain: TEXT,
  visibility: listOf(["model", "app"]),
};

/**
 * The view of a tool: a page that hosts with MCP Apps (SEP-1865) show for its calls. Every other caller gets the same answer, as text.
 *
 * The server gets the page as a resource, and declares the extension. The page receives input and result of the call, and calls tools of the
 * server, with `connectView()` of `./apps/view`. It is a program that all callers who may see the tool may read: data belongs into the result.
 *
 * @example A tool with a page
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { view } from "jsr:@toolwire/toolwire/apps";
 * import { strictEqual } from "node:assert/strict";
 *
 * const html = "<!doctype html><title>Sales</title><script type=module>…</script>";
 * const sales = defineTool("sales").describe("Sales of a month").view(view({ html, prefersBorder: true })).handle(() => 42);
 * const { tools: [listed] } = createServer({ tools: [sales] });
 * strictEqual(listed?._meta?.["ui/resourceUri"], (listed?._meta?.["ui"] as { resourceUri: string }).resourceUri);
 * ```
 * @throws {TypeError} If an option is unknown or invalid, the page is missing, or it is not a whole document.
 */
export function view(options: ViewOptions): ToolView {
  checkOptions("define a view", options, RULES);
  checkOptions("define the csp of a view", options.csp ?? {}, CSP);
  const page = openPage(options);
  const { uri, csp, permissions, prefersBorder, domain, visibility } = options;
  const pageMeta = omitUndefined({ csp, permissions: toPermissions(permissions), prefersBorder, domain });
  if (page === undefined) checkWithoutPage(options);
  const key = sha256Hex(JSON.stringify([page?.identity, pageMeta]));
  return {
    "~apply"(definition) {
      const resourceUri = page && (uri ?? `ui://${definition.name}/${key.slice(0, 12)}`);
      const ui = { ...asObject(definition.meta?.["ui"]), ...omitUndefined({ resourceUri, visibility }) };
      return {
        meta: { ...definition.meta, ui, ...(resourceUri !== undefined && { [FLAT_VIEW_URI]: resourceUri }) },
        resource: page && resourceUri && pageResource(definition, page, resourceUri, pageMeta, key),
      };
    },
  };
}

function pageResource(
  { name }: ViewedDefinition,
  page: Page,
  uri: string,
  ui: Readonly<Record<string, unknown>>,
  key: string,
): Resource {
  const meta = { ui };
  const resource = defineResource(uri).name(name).mimeType(VIEW_TYPE).meta(meta).read(async () => {
    return { text: await page.read(), meta };
  });
  return {
    ...resource,
    "~resource": { ...resource["~resource"], extension: { join: joinViews, data: uri, key } },
  };
}

/** @throws {TypeError} If the options are those of a page, or there is no page. */
function checkWithoutPage({ visibility, uri, csp, permissions, prefersBorder, domain }: ViewOptions): void {
  const [option] = Object.keys(omitUndefined({ uri, csp, permissions, prefersBorder, domain }));
  if (option !== undefined) {
    throw new TypeError(`Cannot define a view: ${option} is for its page; pass html, file or url, too`);
  }
  if (visibility !== undefined) return;
  throw new TypeError(
    'Cannot define a view: pass html, file or url; visibility: ["app"] alone is a tool without a page',
  );
}

function toPermissions(names: readonly ViewPermission[] | undefined): object | undefined {
  return names && Object.fromEntries(names.map((name) => [name, {}]));
}

function isAddress(value: unknown, pattern: RegExp): boolean {
  return (typeof value === "string" || value instanceof URL) && pattern.test(String(value));
}

function listOf(words: readonly string[]): OptionRule {
  return rule(
    `a list of ${words.map((word) => `"${word}"`).join(", ")}, each once`,
    (value) =>
      Array.isArray(value) && value.length > 0 && new Set(value).size === value.length &&
      value.every((word) => words.includes(word)),
  );
}
