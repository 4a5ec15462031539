/** The connection of a view to its host: the handshake, what the host sends, and operations of the view. */
import { ToolError } from "../../../core/errors/tool_error.ts";
import { asObject, isJsonObject, type Members, omitUndefined, typedOr } from "../../../internal/json.ts";
import { decodeToolResult } from "../../../wires/mcp/client/decode_tool_result.ts";
import { unwrapAnswer } from "../../../client/call_result.ts";
import { Bridge } from "./bridge.ts";
import type { PageWindow } from "./page_window.ts";
import { applyStyles, watchHeight } from "./page_style.ts";
import type {
  ConnectViewOptions,
  DisplayMode,
  HostContext,
  HostDescription,
  ModelContextUpdate,
  ViewCallOptions,
  ViewMethods,
} from "./types.ts";
import type { ToolTypes } from "../../../core/tool/definition.ts";

/** Revision of the protocol between hosts and views. */
const PROTOCOL_VERSION = "2026-01-26";

type AnyOptions = ConnectViewOptions<ToolTypes<unknown, unknown, unknown, unknown>>;

/** Connection of a view to its host: the handshake, the events for the functions of the options, and the operations of `$`. */
export class ViewConnection implements ViewMethods {
  host: HostDescription = { name: "", version: "", capabilities: {} };
  context: HostContext = {};
  readonly #window: PageWindow;
  readonly #options: AnyOptions;
  readonly #bridge: Bridge;
  #unwatch: (() => void) | undefined;

  constructor(window: PageWindow, options: AnyOptions) {
    this.#window = window;
    this.#options = options;
    this.#bridge = new Bridge(window, {
      notify: (method, params) => this.#notified(method, params),
      answer: (method) => method === "ui/resource-teardown" ? this.#tearDown() : method === "ping" ? PONG : undefined,
    });
  }

  /** Initializes the connection, then reports heights. Nothing but `ui/initialize` is sent before the host has answered it. */
  async open(): Promise<void> {
    const { document } = this.#window;
    const { name = document.title || "view", version = "0.0.0", displayModes, timeoutMs = 10_000 } = this.#options;
    const params = {
      appInfo: { name, version },
      appCapabilities: omitUndefined({ availableDisplayModes: displayModes }),
      protocolVersion: PROTOCOL_VERSION,
    };
    const { hostInfo, hostCapabilities, hostContext } = await this.#initialize(params, timeoutMs);
    const { name: hostName, version: hostVersion } = asObject(hostInfo);
    this.host = {
      name: typedOr(hostName, ""),
      version: typedOr(hostVersion, ""),
      capabilities: asObject(hostCapabilities),
    };
    this.#setContext(asObject(hostContext));
    this.#bridge.notify("ui/notifications/initialized", {});
    if (this.#options.reportSize !== false) {
      this.#unwatch = watchHeight(this.#window, (height) => this.reportSize({ height }));
    }
  }

  async #initialize(params: Members, timeoutMs: number): Promise<Members> {
    const ended = new AbortController();
    const timer = setTimeout(() => {
      ended.abort(new ToolError("unavailable", `The host of the view has not answered within ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      return await this.#bridge.request("ui/initialize", params, ended.signal);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async callTool(name: string, input: unknown = {}, { signal }: ViewCallOptions = {}): Promise<unknown> {
    return unwrapAnswer(
      decodeToolResult(await this.#bridge.request("tools/call", { name, arguments: input }, signal)),
    );
  }

  async openLink(url: string): Promise<void> {
    await this.#ask("ui/open-link", { url });
  }

  async sendMessage(content: string | readonly Members[]): Promise<void> {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    await this.#ask("ui/message", { role: "user", content: blocks });
  }

  async updateModelContext({ content, structuredContent }: ModelContextUpdate): Promise<void> {
    await this.#ask("ui/update-model-context", omitUndefined({ content, structuredContent }));
  }

  async requestDisplayMode(mode: DisplayMode): Promise<DisplayMode> {
    const { mode: set } = await this.#ask("ui/request-display-mode", { mode });
    return set as DisplayMode;
  }

  async readResource(uri: string): Promise<readonly Members[]> {
    const { contents } = await this.#ask("resources/read", { uri });
    return Array.isArray(contents) ? contents.filter(isJsonObject) : [];
  }

  request(method: string, params: Members = {}, { signal }: ViewCallOptions = {}): Promise<Members> {
    return this.#bridge.request(method, params, signal);
  }

  reportSize(size: { readonly width?: number; readonly height?: number }): void {
    this.#bridge.notify("ui/notifications/size-changed", size);
  }

  log(level: string, data: unknown): void {
    this.#bridge.notify("notifications/message", { level, data });
  }

  requestTeardown(): void {
    this.#bridge.notify("ui/notifications/request-teardown", {});
  }

  close(): void {
    this.#unwatch?.();
    this.#bridge.close();
  }

  /** A host may refuse by `isError`, too. */
  async #ask(method: string, params: Members): Promise<Members> {
    const result = await this.#bridge.request(method, params);
    if (result["isError"] !== true) return result;
    throw new ToolError("permission_denied", `The host has refused ${method}`, { details: result });
  }

  #notified(method: string, params: Members): void {
    const { onPartialInput, onInput, onResult, onCancelled } = this.#options;
    switch (method) {
      case "ui/notifications/tool-input-partial":
        return onPartialInput?.(asObject(params["arguments"]));
      case "ui/notifications/tool-input":
        return onInput?.(asObject(params["arguments"]));
      case "ui/notifications/tool-result":
        return onResult?.(decodeToolResult(params) as Parameters<typeof onResult>[0]);
      case "ui/notifications/tool-cancelled":
        return onCancelled?.(typeof params["reason"] === "string" ? params["reason"] : undefined);
      case "ui/notifications/host-context-changed":
        return this.#setContext({ ...this.context, ...params });
    }
  }

  #setContext(context: HostContext): void {
    this.context = context;
    if (this.#options.applyStyles !== false) applyStyles(this.#window.document, context);
    this.#options.onContext?.(context);
  }

  async #tearDown(): Promise<Members> {
    this.#unwatch?.();
    await this.#options.onTeardown?.();
    return {};
  }
}

const PONG: Promise<Members> = Promise.resolve({});
