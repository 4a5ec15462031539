/** A host for views: its page, and a sandbox on another origin, whose policy is an HTTP header. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { legacy, modern } from "../../../wires/mcp/server/client.ts";

type Json = Readonly<Record<string, unknown>>;
type McpServer = Parameters<typeof legacy>[0];

/** The page of a view, as a host reads it. */
export interface FoundView {
  readonly html: string;
  readonly csp: Readonly<Record<string, readonly string[]>>;
}

const HOST = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

/** Finds the page of a tool as a host does. */
export async function findView(server: McpServer, tool: string): Promise<FoundView> {
  const { last: { result } } = await modern(server, "tools/list", {}, { capabilities: HOST });
  const tools = result?.["tools"] as readonly {
    readonly name: string;
    readonly _meta: { ui: { resourceUri: string } };
  }[];
  const uri = tools.find(({ name }) => name === tool)?._meta.ui.resourceUri;
  const read = await modern(server, "resources/read", { uri }, { capabilities: HOST });
  const [page] = read.last.result?.["contents"] as readonly { readonly text: string; readonly _meta: { ui: Json } }[];
  return { html: page?.text ?? "", csp: (page?._meta.ui["csp"] ?? {}) as FoundView["csp"] };
}

/** Calls a tool as a host of an older revision does, where answers are objects. */
export async function callTool(server: McpServer, params: Json): Promise<Json> {
  const { last } = await legacy(server, "tools/call", params);
  return last.result ?? { isError: true, content: [{ type: "text", text: last.error?.message ?? "" }] };
}

/** The policy of the specification for these origins. */
function policyOf({ connectDomains = [], resourceDomains = [] }: FoundView["csp"]): string {
  const files = resourceDomains.join(" ");
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${files}`,
    `style-src 'self' 'unsafe-inline' ${files}`,
    `img-src 'self' data: ${files}`,
    "object-src 'none'",
    "frame-src 'self'",
    `connect-src ${connectDomains.join(" ") || "'none'"}`,
  ].join("; ");
}

/** The page between host and view. It creates no message of a view, and forwards none of the sandbox's. */
const SANDBOX = `<!doctype html><script>
const inner = document.createElement("iframe");
addEventListener("message", ({ source, data }) => {
  const isOwn = String(data?.method).startsWith("ui/notifications/sandbox-");
  if (source === parent && data?.method === "ui/notifications/sandbox-resource-ready") {
    inner.sandbox = "allow-scripts allow-same-origin";
    document.documentElement.append(inner);
    inner.contentDocument.open();
    inner.contentDocument.write(data.params.html);
    inner.contentDocument.close();
  } else if (source === parent && !isOwn) inner.contentWindow.postMessage(data, "*");
  else if (source === inner.contentWindow && !isOwn) parent.postMessage(data, "*");
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`;

/** The two origins of a host, and one that a view may be allowed to use. */
export interface Host extends AsyncDisposable {
  readonly url: string;
  /** URL of the sandbox for a view. */
  sandbox(view: FoundView): string;
  /** An origin that answers every page with "data". */
  readonly api: string;
}

/** Starts a host whose page runs this script, and whose calls go to this server. */
export async function startHost(script: string, server: McpServer): Promise<Host> {
  const host = await listen(async (request) => {
    if (request.url !== "/call") return { body: `<!doctype html><title>Host</title><body><script>${script}</script>` };
    return { body: JSON.stringify(await callTool(server, JSON.parse(await textOf(request)) as Json)) };
  });
  const sandbox = await listen((request) => {
    const csp = new URL(request.url ?? "/", "http://localhost").searchParams.get("csp") ?? "{}";
    return { body: SANDBOX, headers: { "content-security-policy": policyOf(JSON.parse(csp) as FoundView["csp"]) } };
  });
  const api = await listen(() => ({ body: "data", headers: { "access-control-allow-origin": "*" } }));
  return {
    url: urlOf(host),
    sandbox: ({ csp }) => `${urlOf(sandbox)}/?csp=${encodeURIComponent(JSON.stringify(csp))}`,
    api: urlOf(api),
    async [Symbol.asyncDispose]() {
      for (const one of [host, sandbox, api]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
}

interface Answer {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function listen(answer: (request: IncomingMessage) => Answer | Promise<Answer>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { body, headers } = await answer(request);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
