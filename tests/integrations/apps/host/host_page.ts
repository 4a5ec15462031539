/**
 * The page of a host: `AppBridge` of `@modelcontextprotocol/ext-apps` around a view in a sandbox of another origin. Bundled for the browser by
 * the test.
 */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

type Message = Readonly<Record<string, unknown>>;

/** What a test gives the host. */
export interface HostInput {
  /** URL of the sandbox, with the policy of the view. */
  readonly sandbox: string;
  readonly html: string;
  readonly partials: readonly Message[];
  readonly input: Message;
  /** A result of `tools/call`. */
  readonly result: Message;
}

/** What the host has seen, for the test. */
export interface HostLog {
  /** Messages in their order, such as `view: ui/initialize`. */
  readonly order: string[];
  /** Parameters by method of the view's requests that the host answers itself. */
  readonly asked: Record<string, unknown>;
  /** Heights that the view reported. */
  readonly heights: (number | undefined)[];
}

const log: HostLog = { order: [], asked: {}, heights: [] };
let bridge: AppBridge | undefined;

function nameOf({ method, result, error }: Message): string {
  return typeof method === "string" ? method : result !== undefined ? "result" : `error ${JSON.stringify(error)}`;
}

/** Shows a view, and returns when it has the result. */
async function show({ sandbox, html, partials, input, result }: HostInput): Promise<void> {
  const frame = document.createElement("iframe");
  frame.style.width = "400px";
  const asked = (method: string, answer: object) => (params: unknown) => {
    log.asked[method] = params;
    return Promise.resolve(answer);
  };
  const created = bridge = new AppBridge(
    null,
    { name: "host", version: "1.0.0" },
    { serverTools: {}, serverResources: {}, openLinks: {}, logging: {} },
    {
      hostContext: {
        theme: "dark",
        locale: "de-DE",
        styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)" } },
      } as never,
    },
  );
  created.oncalltool = async (params) => {
    const response = await fetch("/call", { method: "POST", body: JSON.stringify(params) });
    return await response.json();
  };
  created.onopenlink = async (params) => {
    log.asked["ui/open-link"] = params;
    return await Promise.resolve(params.url.startsWith("https:") ? {} : { isError: true });
  };
  created.onmessage = asked("ui/message", {}) as never;
  created.onupdatemodelcontext = asked("ui/update-model-context", {}) as never;
  created.onrequestdisplaymode = asked("ui/request-display-mode", { mode: "inline" }) as never;
  created.addEventListener("sizechange", ({ height }) => log.heights.push(height));
  created.addEventListener("loggingmessage", ({ data }) => log.order.push(`log: ${String(data)}`));
  const ready = new Promise<void>((resolve) => created.addEventListener("initialized", () => resolve()));
  const sandboxReady = new Promise<void>((resolve) => created.addEventListener("sandboxready", () => resolve()));
  document.body.append(frame);
  const view = frame.contentWindow as Window;
  addEventListener("message", ({ source, data }) => source === view && log.order.push(`view: ${nameOf(data)}`));
  const transport = new PostMessageTransport(view, view);
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    log.order.push(`host: ${nameOf(message as never)}`);
    return send(message, ...rest);
  };
  await created.connect(transport);
  frame.src = sandbox;
  await sandboxReady;
  await created.sendSandboxResourceReady({ html });
  await ready;
  for (const partial of partials) await created.sendToolInputPartial({ arguments: partial });
  await created.sendToolInput({ arguments: input });
  await created.sendToolResult(result as never);
}

Object.assign(globalThis, {
  show,
  log,
  change: (context: { theme: "light" }) => bridge?.sendHostContextChange(context),
  cancel: () => bridge?.sendToolCancelled({ reason: "stopped" }),
  async teardown() {
    await bridge?.teardownResource({});
    document.querySelector("iframe")?.remove();
  },
});
