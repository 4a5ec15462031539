/** The page's side of a view, with a host in the same process. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { connectView, type ConnectViewOptions, ToolError } from "../../../src/entries/apps/view.ts";
import * as v from "../../../src/entries/schema.ts";

type Message = Readonly<Record<string, unknown>>;

const add = defineTool("add")
  .describe("Add")
  .input(v.object({ a: v.number(), b: v.optional(v.number(), 1) }))
  .output(v.number())
  .errors({ too_large: v.object({ most: v.number() }) })
  .handle(({ a, b }) => a + b);
const now = defineTool("now").describe("Time").handle(() => "noon");
const server = createServer({ tools: [add, now] });
type Source = typeof server;

const CONTEXT = { theme: "dark", styles: { variables: { "--a": "1", "color": "2" }, css: { fonts: "@font-face {}" } } };
const INITIALIZED = {
  protocolVersion: "2026-01-26",
  hostInfo: { name: "host", version: "1" },
  hostCapabilities: { serverTools: {} },
  hostContext: CONTEXT,
};

/** A window with a parent, which is the host. */
class FakeWindow {
  readonly sent: Message[] = [];
  readonly parent = { postMessage: (message: Message) => this.#take(message) };
  readonly document = new FakeDocument();
  readonly ResizeObserver = class {
    readonly #changed: () => void;
    constructor(changed: () => void) {
      this.#changed = changed;
    }
    observe(): void {
      this.#changed();
    }
    disconnect(): void {}
  };
  #listener: ((event: unknown) => void) | undefined;
  #answer: (message: Message) => Message | undefined;

  constructor(answer: (message: Message) => Message | undefined) {
    this.#answer = answer;
    Object.assign(globalThis, { window: this });
  }

  addEventListener(_: string, listener: (event: unknown) => void): void {
    this.#listener = listener;
  }

  removeEventListener(): void {
    this.#listener = undefined;
  }

  /** Delivers a message. */
  receive(data: unknown, source: unknown = this.parent): void {
    this.#listener?.({ source, data });
  }

  notify(method: string, params: Message): void {
    this.receive({ jsonrpc: "2.0", method, params });
  }

  #take(message: Message): void {
    this.sent.push(message);
    const answer = this.#answer(message);
    if (answer !== undefined) queueMicrotask(() => this.receive({ jsonrpc: "2.0", id: message["id"], ...answer }));
  }
}

class FakeDocument {
  title = "Chart";
  readonly style: Record<string, string> = {};
  readonly fonts = { id: "", textContent: "" };
  readonly documentElement = {
    dataset: {} as Record<string, string>,
    style: { setProperty: (name: string, value: string) => void (this.style[name] = value) },
    getBoundingClientRect: () => ({ height: 99.2 }),
  };
  readonly head = { appendChild: <Element>(element: Element) => element };
  createElement = () => this.fonts;
  getElementById = () => null;
}

/** A host that answers calls of tools like this. */
function hostOf(answers: Readonly<Record<string, Message>> = {}): FakeWindow {
  return new FakeWindow(({ method }) => method === "ui/initialize" ? { result: INITIALIZED } : answers[String(method)]);
}

const methods = ({ sent }: FakeWindow) => sent.map(({ method }) => method ?? "answer");
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe("connectView()", () => {
  afterEach(() => Reflect.deleteProperty(globalThis, "window"));

  test("nothing but the handshake is sent before the host has answered it", async () => {
    let release = () => {};
    const window = new FakeWindow(({ method, id }) => {
      if (method === "ui/initialize") release = () => window.receive({ jsonrpc: "2.0", id, result: INITIALIZED });
      return undefined;
    });
    const connecting = connectView({ version: "1.2.0", displayModes: ["inline"] });
    await settled();
    deepStrictEqual(window.sent, [{
      jsonrpc: "2.0",
      id: 1,
      method: "ui/initialize",
      params: {
        appInfo: { name: "Chart", version: "1.2.0" },
        appCapabilities: { availableDisplayModes: ["inline"] },
        protocolVersion: "2026-01-26",
      },
    }]);
    release();
    const { $ } = await connecting;
    deepStrictEqual(methods(window), [
      "ui/initialize",
      "ui/notifications/initialized",
      "ui/notifications/size-changed",
    ]);
    deepStrictEqual(window.sent[2]?.["params"], { height: 100 });
    deepStrictEqual($.host, { name: "host", version: "1", capabilities: { serverTools: {} } });
  });

  test("messages of other windows, and of other protocols, are ignored", async () => {
    const window = hostOf();
    const inputs: unknown[] = [];
    const view = await connectView<Source>({ onInput: (input) => inputs.push(input) });
    const input = { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: { a: 1 } } };
    window.receive(input, {});
    window.receive(input, window);
    window.receive({ ...input, jsonrpc: "1.0" });
    window.receive("text");
    window.receive(null);
    deepStrictEqual(inputs, []);
    const call = view.add({ a: 1 });
    const { id } = window.sent.at(-1) ?? {};
    // A request of the host with the id of the call is not its answer. Nor is the answer of another window.
    window.receive({ jsonrpc: "2.0", id, method: "ping", result: { structuredContent: 1 } });
    window.receive({ jsonrpc: "2.0", id, result: { structuredContent: 2 } }, {});
    window.receive({ jsonrpc: "2.0", id: 999, result: { structuredContent: 3 } });
    window.receive({ jsonrpc: "2.0", id, result: { content: [], structuredContent: 4 } });
    strictEqual(await call, 4);
    window.receive(input);
    deepStrictEqual(inputs, [{ a: 1 }]);
  });

  test("what the host sends has the types of the tool, and results of older revisions are unwrapped", async () => {
    const window = hostOf();
    const seen: string[] = [];
    await connectView<Source, "add">({
      onPartialInput: ({ a }) => seen.push(`partial ${a?.toFixed(1)}`),
      onInput: ({ a }) => seen.push(`input ${a.toFixed(1)}`),
      onResult(result) {
        if (result.kind === "answer") seen.push(`answer ${result.value.toFixed(1)}`);
        else if (result.kind === "failure") seen.push(`${result.code} ${result.data.most.toFixed(1)}`);
        else seen.push(result.kind);
      },
      onCancelled: (reason) => seen.push(`cancelled ${reason}`),
    });
    window.notify("ui/notifications/tool-input-partial", {});
    window.notify("ui/notifications/tool-input-partial", { arguments: { a: 1 } });
    window.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    window.notify("ui/notifications/tool-result", { content: [], structuredContent: 2 });
    const wrapped = { content: [], structuredContent: { result: 3 }, _meta: { "toolwire/wrapped": true } };
    window.notify("ui/notifications/tool-result", wrapped);
    const failure = { response_type: "failure", code: "too_large", data: { most: 9 } };
    window.notify("ui/notifications/tool-result", { isError: true, content: [], _meta: failure });
    window.notify("ui/notifications/tool-cancelled", { reason: "user" });
    window.notify("ui/notifications/unknown", {});
    deepStrictEqual(seen, [
      "partial undefined",
      "partial 1.0",
      "input 1.0",
      "answer 2.0",
      "answer 3.0",
      "too_large 9.0",
      "cancelled user",
    ]);
  });

  test("tools are functions with types; failures, errors and refusals are exceptions", async () => {
    const failure = { response_type: "failure", code: "too_large", data: { most: 9 } };
    const window = hostOf({
      "tools/call": { result: { isError: true, content: [{ type: "text", text: "Too large" }], _meta: failure } },
      "ui/open-link": { result: { isError: true } },
      "ui/message": { error: { code: -32000, message: "No" } },
      "ui/download-file": { error: { code: -32601, message: "Unknown" } },
    });
    const view = await connectView<Source>();
    const thrown = await view.add({ a: 1 }).catch((error: unknown) => error);
    ok(view.add.isFailure(thrown));
    strictEqual(thrown.code === "too_large" && thrown.data.most, 9);
    deepStrictEqual(window.sent.at(-1)?.["params"], { name: "add", arguments: { a: 1 } });
    await rejects(view.now(), { name: "Failure" });
    deepStrictEqual(window.sent.at(-1)?.["params"], { name: "now", arguments: {} });
    await rejects(view.$.openLink("x:"), { code: "permission_denied", message: "The host has refused ui/open-link" });
    await rejects(view.$.sendMessage("Hi"), { code: "permission_denied", message: "No" });
    await rejects(view.$.request("ui/download-file"), { code: "method_not_found" });
    // The compiler knows the tools.
    const check = () => [
      // @ts-expect-error: `a` is a number.
      view.add({ a: "1" }),
      // @ts-expect-error: the server has no such tool.
      view.multiply({ a: 1 }),
    ];
    strictEqual(typeof check, "function");
    // @ts-expect-error: the server has no such tool.
    const options: ConnectViewOptions<never> = { onInput: 1 };
    ok(options);
    strictEqual(await Promise.resolve(view), view);
  });

  test("an aborted call is cancelled at the host, and close() ends the others", async () => {
    const window = hostOf();
    const view = await connectView<Source>();
    const controller = new AbortController();
    const aborted = rejects(view.add({ a: 1 }, { signal: controller.signal }), /enough/);
    const { id } = window.sent.at(-1) ?? {};
    controller.abort(new Error("enough"));
    await aborted;
    deepStrictEqual(window.sent.at(-1)?.["params"], { requestId: id });
    const closed = rejects(view.add({ a: 1 }), { code: "cancelled" });
    view.$.close();
    await closed;
  });

  test("the host waits for the end of a teardown, whose id may be 0", async () => {
    const window = hostOf();
    const steps: string[] = [];
    await connectView({
      async onTeardown() {
        await settled();
        steps.push("saved");
      },
    });
    const before = window.sent.length;
    window.receive({ jsonrpc: "2.0", id: 0, method: "ui/resource-teardown", params: {} });
    strictEqual(window.sent.length, before);
    while (window.sent.length === before) await settled();
    deepStrictEqual(steps, ["saved"]);
    deepStrictEqual(window.sent.at(-1), { jsonrpc: "2.0", id: 0, result: {} });
    window.receive({ jsonrpc: "2.0", id: "x", method: "tools/list", params: {} });
    const { id, error } = window.sent.at(-1) ?? {};
    deepStrictEqual([id, (error as { code: number }).code], ["x", -32601]);
  });

  test("the styles of the host are set, and changes of the context are merged", async () => {
    const window = hostOf();
    const themes: unknown[] = [];
    const { $ } = await connectView({ onContext: ({ theme, locale }) => themes.push([theme, locale]) });
    window.notify("ui/notifications/host-context-changed", { locale: "de" });
    deepStrictEqual(themes, [["dark", undefined], ["dark", "de"]]);
    deepStrictEqual($.context["styles"], CONTEXT.styles);
    const { style, fonts, documentElement } = window.document;
    deepStrictEqual(style, { "--a": "1" });
    strictEqual(fonts.textContent, "@font-face {}");
    deepStrictEqual(documentElement.dataset, { theme: "dark" });
  });

  test("a page without a host is an error that says so", async () => {
    await rejects(
      connectView(),
      (error) => error instanceof ToolError && /not in a frame of a host/.test(error.message),
    );
    const top = hostOf();
    Object.assign(top, { parent: top });
    await rejects(connectView(), { code: "unavailable" });
    new FakeWindow(() => undefined);
    const error = await connectView({ timeoutMs: 1 }).catch((error: unknown) => error);
    match(String(error), /The host of the view has not answered within 1 ms/);
  });
});
