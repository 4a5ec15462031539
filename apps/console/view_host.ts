/**
 * The host of a view, as MCP Apps has it (SEP-1865, revision 2026-01-26): messages between the page and a document that is code of a
 * stranger. The document has no origin, so that it reaches neither the page nor its key. Its calls are those of the page's caller.
 */
import { effect } from "@preact/signals";
import { FLAT_VIEW_URI, VIEW_TYPE } from "../../src/core/call/views.ts";
import { actingAs, hello, type Tool, tools } from "./api.ts";
import { messageOf, requestContent } from "./content.ts";
import { asSchema, type Json, type Schema } from "./json_schema.ts";
import type { Outcome } from "./outcome.ts";
import { isDark } from "./theme.ts";
import { callableWires, send } from "./wires.ts";

/** Revision of MCP Apps. */
const REVISION = "2026-01-26";
/** Time for a view to save its state before it is removed, in milliseconds. */
const TEARDOWN_MS = 1_000;
/** Calls of a view that run at once. */
const MAX_RUNNING = 16;
/** Height of a view, in pixels. */
const [MIN_HEIGHT, MAX_HEIGHT] = [40, 2_000];
/** Codes of JSON-RPC. */
const REFUSED = -32_000;
const UNKNOWN_METHOD = -32_601;

/** A page that a view is, as its resource has it. */
export interface ViewPage {
  readonly html: string;
  /** `_meta.ui` of the resource. */
  readonly ui: Schema;
  /** What hosts may not accept; empty if all is well. */
  readonly warning: string;
}

/** The call that a view shows. */
export interface ViewedCall {
  readonly tool: Tool;
  readonly args: Json;
  readonly outcome: Outcome;
}

/** What the page does for a view. */
export interface ViewOptions {
  /** Element that the view is in. */
  readonly place: HTMLElement;
  readonly page: ViewPage;
  readonly call: ViewedCall;
  /** Reports each message between the page and the view. */
  onMessage(message: unknown, isSent: boolean): void;
  /** Asks whether a web page may be opened. */
  mayOpen(url: string): Promise<boolean>;
  /** The view has replaced its document, and was removed. */
  onLeft(): void;
}

/** `_meta.ui` of a tool. */
export function uiOf({ listing: { _meta: meta = {} } }: Tool): Schema {
  const { ui, [FLAT_VIEW_URI]: resourceUri } = meta;
  return { resourceUri, ...asSchema(ui) };
}

/** Whether models, or views of its server, may call a tool. */
export function isFor(tool: Tool, who: "model" | "app"): boolean {
  const { visibility } = uiOf(tool);
  return !Array.isArray(visibility) || visibility.includes(who);
}

/**
 * Reads the page of a view.
 *
 * @throws {Error} If there is no such page.
 */
export async function readViewPage(uri: string): Promise<ViewPage> {
  const outcome = await requestContent("resources/read", uri, { uri });
  if (outcome === undefined) throw new Error("Views are read over MCP, and this server does not have the wire mcp()");
  const { contents } = asSchema(outcome.value);
  if (outcome.kind !== "answer" || !Array.isArray(contents)) throw new Error(messageOf(outcome));
  const { text, blob, mimeType, _meta } = asSchema(contents[0]);
  const html = typeof text === "string" ? text : typeof blob === "string" ? decodeBase64(blob) : undefined;
  if (html === undefined) throw new Error(`${uri} has no text`);
  const warning = contents.length > 1
    ? `${uri} has ${contents.length} parts, and hosts take one`
    : mimeType === VIEW_TYPE
    ? ""
    : `${uri} is of the type ${mimeType}, and hosts show ${VIEW_TYPE}`;
  return { html, ui: asSchema(asSchema(_meta)["ui"]), warning };
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
}

/** URL of the frame, with the origins that the view declares. */
function frameUrl({ ui }: ViewPage): string {
  const query = new URLSearchParams();
  for (const [member, origins] of Object.entries(asSchema(ui["csp"]))) {
    if (Array.isArray(origins)) { for (const origin of origins) query.append(member, String(origin)); }
  }
  return `${location.origin}${location.pathname.replace(/\/$/, "")}/view?${query}`;
}

/** Shows a view. The returned function ends it, once the view has saved its state. */
export function openView(options: ViewOptions): () => void {
  const view = new View(options);
  return () => void view.close();
}

type Id = string | number;

/** A view in its frame, and the messages between it and the page. */
class View {
  readonly #options: ViewOptions;
  readonly #frame = document.createElement("iframe");
  readonly #closed = new AbortController();
  readonly #answers = new Map<unknown, () => void>();
  readonly #stopTheme: () => void;
  readonly #caller = actingAs.peek();
  #isReady = false;
  #loads = 0;
  #running = 0;

  constructor(options: ViewOptions) {
    this.#options = options;
    const frame = this.#frame;
    frame.title = `View of ${options.call.tool.listing.name}`;
    frame.className = options.page.ui["prefersBorder"] === false ? "view" : "view bordered";
    frame.setAttribute("sandbox", "allow-scripts");
    frame.referrerPolicy = "no-referrer";
    frame.src = frameUrl(options.page);
    frame.addEventListener("load", () => this.#load());
    addEventListener("message", (event) => this.#receive(event), { signal: this.#closed.signal });
    options.place.append(frame);
    let isFirst = true;
    this.#stopTheme = effect(() => {
      const theme = isDark.value ? "dark" : "light";
      if (this.#isReady && !isFirst) this.#notify("ui/notifications/host-context-changed", { theme, styles: styles() });
      isFirst = false;
    });
  }

  /** The first document takes the page, which is the second one. Another one is not the view. */
  #load(): void {
    this.#loads++;
    if (this.#loads === 1) this.#frame.contentWindow?.postMessage(this.#options.page.html, "*");
    else if (this.#loads > 2) {
      this.#remove();
      this.#options.onLeft();
    }
  }

  /** Asks the view to save its state, and removes it. It stays loaded meanwhile, where the browser can move a document. */
  async close(): Promise<void> {
    const body: HTMLElement & { moveBefore?(node: Node, before: Node | null): void } = document.body;
    if (this.#isReady && this.#frame.isConnected && body.moveBefore !== undefined) {
      this.#frame.hidden = true;
      body.moveBefore(this.#frame, null);
      const { promise: saved, resolve } = Promise.withResolvers<void>();
      this.#answers.set("teardown", resolve);
      this.#post({ id: "teardown", method: "ui/resource-teardown", params: {} });
      setTimeout(resolve, TEARDOWN_MS);
      await saved;
    }
    this.#remove();
  }

  #remove(): void {
    this.#stopTheme();
    this.#closed.abort();
    this.#frame.remove();
  }

  #post(message: object): void {
    const whole = { jsonrpc: "2.0", ...message };
    this.#options.onMessage(whole, true);
    // The origin of the view is opaque, and has no name.
    this.#frame.contentWindow?.postMessage(whole, "*");
  }

  #notify(method: string, params: unknown): void {
    this.#post({ method, params });
  }

  #receive({ source, data }: MessageEvent): void {
    if (source !== this.#frame.contentWindow || this.#loads > 2) return;
    const { jsonrpc, id, method, params } = asSchema(data);
    if (jsonrpc !== "2.0") return;
    this.#options.onMessage(data, false);
    if (typeof method !== "string") this.#answers.get(id)?.();
    else if (typeof id === "string" || typeof id === "number") void this.#answer(id, method, asSchema(params));
    else this.#note(method, asSchema(params));
  }

  #note(method: string, { height }: Schema): void {
    if (method === "ui/notifications/initialized" && !this.#isReady) {
      this.#isReady = true;
      const { args, outcome } = this.#options.call;
      this.#notify("ui/notifications/tool-input", { arguments: args });
      this.#notify("ui/notifications/tool-result", resultOf(outcome));
    }
    if (method === "ui/notifications/size-changed" && typeof height === "number" && height > 0) {
      this.#frame.style.height = `${Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, Math.ceil(height)))}px`;
    }
  }

  async #answer(id: Id, method: string, params: Schema): Promise<void> {
    try {
      this.#post({ id, result: await this.#resultOf(method, params) });
    } catch (thrown) {
      const { message, cause } = thrown as Error;
      this.#post({ id, error: { code: typeof cause === "number" ? cause : REFUSED, message } });
    }
  }

  #resultOf(method: string, params: Schema): unknown {
    const isCall = method === "tools/call" || method === "resources/read";
    if (isCall && actingAs.peek() !== this.#caller) throw new Error("The caller of the page has changed");
    switch (method) {
      case "ui/initialize":
        return this.#greeting();
      case "tools/call":
        return this.#callTool(params);
      case "resources/read":
        return this.#readResource(String(params["uri"]));
      case "ui/open-link":
        return this.#openLink(String(params["url"]));
      case "ui/request-display-mode":
        return { mode: "inline" };
      // There is no model: the message is in the list of messages.
      case "ui/message":
      case "ui/update-model-context":
      case "ping":
        return {};
    }
    throw new Error(`The console has no method ${method}`, { cause: UNKNOWN_METHOD });
  }

  #greeting(): unknown {
    const { inputSchema, name, description } = this.#options.call.tool.listing;
    return {
      protocolVersion: REVISION,
      hostInfo: { name: "toolwire-console", version: hello.value?.toolwire ?? "0" },
      hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, message: { text: {} } },
      hostContext: {
        theme: isDark.value ? "dark" : "light",
        styles: styles(),
        displayMode: "inline",
        availableDisplayModes: ["inline"],
        containerDimensions: { width: this.#frame.clientWidth, maxHeight: MAX_HEIGHT },
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        platform: "web",
        toolInfo: { tool: { name, description, inputSchema } },
      },
    };
  }

  async #callTool({ name, arguments: args = {} }: Schema): Promise<unknown> {
    const tool = tools.value.find(({ listing }) => listing.name === name);
    if (tool === undefined) throw new Error(`This caller has no tool "${name}"`);
    if (!isFor(tool, "app")) throw new Error(`Views may not call "${name}": its visibility does not have "app"`);
    const [wire] = callableWires();
    const request = wire?.request(tool.listing.name, args as Json, false);
    if (request === undefined || wire === undefined) throw new Error("This server has no wire that the page can call");
    if (this.#running >= MAX_RUNNING) throw new Error(`${MAX_RUNNING} calls of the view run already`);
    this.#running++;
    try {
      const { outcome } = await send(wire, request, this.#closed.signal, () => {});
      return resultOf(outcome);
    } finally {
      this.#running--;
    }
  }

  async #readResource(uri: string): Promise<unknown> {
    const outcome = await requestContent("resources/read", uri, { uri });
    if (outcome?.kind === "answer") return outcome.value;
    throw new Error(outcome === undefined ? "Resources are read over MCP" : messageOf(outcome));
  }

  async #openLink(url: string): Promise<unknown> {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new Error("Only addresses of web pages are opened");
    return await this.#options.mayOpen(url) ? {} : { isError: true };
  }
}

/** The result of a call as MCP has it: that of MCP itself, or one made from what another wire has answered. */
function resultOf({ kind, value, result }: Outcome): unknown {
  if (result !== undefined) return result;
  if (kind === "promise" || kind === "questions") {
    throw new Error(`The call ended with ${kind === "promise" ? "a promise" : kind}, which a view cannot take`);
  }
  const { message = value } = kind === "answer" ? {} : asSchema(value);
  const text = typeof message === "string" ? message : JSON.stringify(message) ?? "";
  const content = [{ type: "text", text }];
  return kind === "answer" ? { content, structuredContent: value } : { content, isError: true };
}

/** Variables of MCP Apps that the page has a colour or a font for. */
const VARIABLES = {
  "--color-background-primary": "--bg",
  "--color-background-secondary": "--surface",
  "--color-background-tertiary": "--raised",
  "--color-text-primary": "--text",
  "--color-text-secondary": "--dim",
  "--color-text-danger": "--bad",
  "--color-border-primary": "--line",
  "--color-ring-primary": "--accent",
  "--font-mono": "--mono",
};

/** Colours of the page in its theme, for views: a view may have another colour scheme. */
function styles(): unknown {
  const own = getComputedStyle(document.documentElement);
  const variables = Object.entries(VARIABLES).map(([name, from]) => [
    name,
    own.getPropertyValue(from).replace(/light-dark\((\S+), (\S+)\)/, isDark.value ? "$2" : "$1").trim(),
  ]);
  return { variables: { ...Object.fromEntries(variables), "--font-sans": "system-ui, sans-serif" } };
}
