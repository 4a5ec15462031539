/** Views of tools (MCP Apps, SEP-1865) as a server declares, lists and serves them. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { createServer as createCoreServer, defineTool as defineCoreTool } from "../../../src/entries/core.ts";
import { discover } from "../../../src/entries/discovery.ts";
import { gateway, group, mount } from "../../../src/entries/compose.ts";
import { authenticate } from "../../../src/entries/auth.ts";
import { openaiTools } from "../../../src/entries/agents.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { mcp, mcpCatalog, mcpSessions, mcpTransport } from "../../../src/entries/mcp.ts";
import { view, type ViewOptions } from "../../../src/entries/apps.ts";
import { callModern, initialize, type Json, legacy, modern } from "../../wires/mcp/server/client.ts";

const UI = "io.modelcontextprotocol/ui";
const HTML = "<!doctype html>\n<title>Chart</title>";
const SETTINGS = { mimeTypes: ["text/html;profile=mcp-app"] };
const HOST = { extensions: { [UI]: SETTINGS } };
const PATIENT = { capabilities: HOST };

const chart = defineTool("chart").describe("Draw a chart").view(view({
  html: HTML,
  csp: { connectDomains: ["https://api.example.com"], resourceDomains: ["https://*.example.com"] },
  permissions: ["clipboardWrite"],
  prefersBorder: true,
})).handle(() => ({ points: [1, 2] }));
const move = defineTool("move").describe("Move a point").scopes("edit").view(view({ visibility: ["app"] })).handle(() =>
  1
);
const who = defineTool("who").describe("Ask").handle((_, ctx) => ctx.client.supports("ui"));

function serve(...tools: Parameters<typeof createServer>[0]["tools"][number][]) {
  return createServer({ name: "charts", version: "1.0.0", tools, wires: [mcp({ sessions: mcpSessions() })] });
}

/** Transports of gateways listen for changes until they are closed. */
const opened: { close(): void }[] = [];

/** A transport of MCP to a server in this process. */
function connect(server: { readonly fetch: (request: Request) => Promise<Response> }, era?: "modern" | "legacy") {
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  const transport = mcpTransport("http://localhost/mcp", { fetch, ...(era && { era }) });
  opened.push(transport);
  return transport;
}

function uriOf(tool: unknown): string {
  return ((tool as Json)["_meta"] as { ui: { resourceUri: string } }).ui.resourceUri;
}

async function names(reply: Promise<{ readonly last: { readonly result?: Json } }>): Promise<readonly string[]> {
  return ((await reply).last.result?.["tools"] as readonly { readonly name: string }[]).map(({ name }) => name);
}

describe("a tool with a view", () => {
  const server = serve(chart, move, who);
  const [listed] = server.tools;
  const uri = uriOf(listed);

  test("the tool names its page in both spellings, and the URI changes with the page", () => {
    match(uri, /^ui:\/\/chart\/[0-9a-f]{12}$/);
    deepStrictEqual(listed?._meta, { ui: { resourceUri: uri }, "ui/resourceUri": uri });
    const other = defineTool("chart").describe("D").view(view({ html: `${HTML}2` })).handle(() => 1);
    notStrictEqual(uriOf(serve(other).tools[0]), uri);
  });

  for (const era of ["modern", "legacy"] as const) {
    test(`the page is one item with the exact type and its metadata, ${era}`, async () => {
      const { resources } = connect(server, era);
      const ui = {
        csp: { connectDomains: ["https://api.example.com"], resourceDomains: ["https://*.example.com"] },
        permissions: { clipboardWrite: {} },
        prefersBorder: true,
      };
      const mimeType = "text/html;profile=mcp-app";
      deepStrictEqual(await resources.list(), [{ uri, name: "chart", mimeType, _meta: { ui } }]);
      deepStrictEqual(await resources.read(uri), [{ uri, mimeType, text: HTML, _meta: { ui } }]);
    });
  }

  test("the server declares the extension to every client, and a server without views does not", async () => {
    const discovered = (await modern(server, "server/discover")).last.result?.["capabilities"] as Json;
    deepStrictEqual(discovered["extensions"], { [UI]: SETTINGS });
    for (const version of ["2025-11-25", "2025-06-18"]) {
      const { result } = await initialize(server, version);
      deepStrictEqual((result["capabilities"] as Json)["extensions"], { [UI]: SETTINGS });
    }
    const { result } = await initialize(serve(who));
    strictEqual((result["capabilities"] as Json)["extensions"], undefined);
  });

  test("a caller without the extension gets the same answer as text", async () => {
    const result = await callModern(server, "chart");
    deepStrictEqual(result["content"], [{ type: "text", text: '{"points":[1,2]}' }]);
    deepStrictEqual(result["structuredContent"], { points: [1, 2] });
  });

  test("a tool of views alone is left out for clients that are known to show none, and scopes decide who may call it", async () => {
    deepStrictEqual(await names(modern(server, "tools/list")), ["chart", "who"]);
    deepStrictEqual(await names(modern(server, "tools/list", {}, PATIENT)), ["chart", "move", "who"]);
    const other = { capabilities: { extensions: { [UI]: { mimeTypes: ["text/uri-list"] } } } };
    deepStrictEqual(await names(modern(server, "tools/list", {}, other)), ["chart", "who"]);
    const [plain, host] = [await initialize(server), await initialize(server, "2025-11-25", HOST)];
    deepStrictEqual(await names(legacy(server, "tools/list", {}, { session: plain.session })), ["chart", "who"]);
    deepStrictEqual(await names(legacy(server, "tools/list", {}, { session: host.session })), ["chart", "move", "who"]);
    const error = await modern(server, "tools/call", { name: "move" }, PATIENT);
    match(JSON.stringify(error.last), /Needs scopes edit/);
  });

  test("a client without a session is unknown: it gets all tools", async () => {
    const stateless = createServer({ tools: [chart, move], wires: [mcp()] });
    deepStrictEqual(await names(legacy(stateless, "tools/list")), ["chart", "move"]);
  });

  test("hidden tools stay hidden in both lists", async () => {
    const secret = defineTool("secret").describe("S").visibleTo(() => false).handle(() => 1);
    const hiding = serve(chart, secret, move);
    deepStrictEqual(await names(modern(hiding, "tools/list")), ["chart"]);
    deepStrictEqual(await names(modern(hiding, "tools/list", {}, PATIENT)), ["chart", "move"]);
  });

  test("a page is found by those who may see a tool of it, and by no other caller", async () => {
    const isAda = (principal: { readonly id: string } | undefined) => principal?.id === "ada";
    const page = view({ html: HTML });
    const shared = view({ html: HTML, uri: "ui://shared" });
    const secret = defineTool("secret").describe("S").view(page).visibleTo(isAda).handle(() => 1);
    const one = defineTool("one").describe("1").view(shared).visibleTo(isAda).handle(() => 1);
    const two = defineTool("two").describe("2").view(shared).handle(() => 1);
    const options = { wires: [mcp()], auth: authenticate(({ metadata }) => ({ id: metadata.get("x-user") ?? "" })) };
    const inner = createServer({ tools: [secret, one, two] });
    const open = createServer({ tools: [two] });
    for (
      const server of [
        createServer({ ...options, tools: [secret, one, two] }),
        createServer({ ...options, tools: [], parts: [mount(inner)] }),
        createServer({ ...options, tools: [], parts: [group("a", inner, { visibleTo: isAda }), group("b", open)] }),
      ]
    ) {
      const as = (user: string) => ({ headers: { "x-user": user } });
      const pages = async (user: string) => {
        const { last } = await modern(server, "resources/list", {}, as(user));
        return (last.result?.["resources"] as readonly { readonly uri: string }[]).map(({ uri }) => uri);
      };
      const [hidden = "", other] = await pages("ada");
      match(hidden, /^ui:\/\/secret\//);
      strictEqual(other, "ui://shared");
      deepStrictEqual(await pages("eve"), ["ui://shared"]);
      const read = async (user: string, uri: string) =>
        (await modern(server, "resources/read", { uri }, as(user))).last.error?.data;
      strictEqual(await read("ada", hidden), undefined);
      strictEqual(await read("eve", "ui://shared"), undefined);
      const unknown = await read("eve", "ui://secret/none");
      deepStrictEqual(await read("eve", hidden), { ...unknown as object, uri: hidden });
    }
  });

  test("a handler learns whether its caller shows views", async () => {
    strictEqual((await callModern(server, "who"))["structuredContent"], false);
    strictEqual((await callModern(server, "who", {}, PATIENT))["structuredContent"], true);
    const { session } = await initialize(server, "2025-11-25", HOST);
    const { last } = await legacy(server, "tools/call", { name: "who" }, { session });
    deepStrictEqual(last.result?.["structuredContent"], { result: true });
    const stateless = createServer({ tools: [who], wires: [mcp()] });
    const unknown = await legacy(stateless, "tools/call", { name: "who" });
    deepStrictEqual(unknown.last.result?.["structuredContent"], { result: false });
    strictEqual(await testClient(createServer({ tools: [who] })).who(), false);
  });
});

describe("views of several tools", () => {
  test("tools share a page at one URI", async () => {
    const shared = { html: HTML, uri: "ui://charts/page.html" } as const;
    const tools = ["a", "b"].map((name) => defineTool(name).describe("D").view(view(shared)).handle(() => 1));
    strictEqual((await connect(serve(...tools)).resources.list()).length, 1);
  });

  test("two pages at one URI are refused, also of parts", () => {
    const tool = (name: string, html: string) =>
      defineTool(name).describe("D").view(view({ html, uri: "ui://x/y" })).handle(() => 1);
    const message = 'Cannot create server: two views that differ are at "ui://x/y"; give one of them another uri';
    throws(() => serve(tool("a", HTML), tool("b", `${HTML}2`)), { name: "TypeError", message });
    const parts = [mount(serve(tool("b", `${HTML}2`)))];
    throws(() => createServer({ tools: [tool("a", HTML)], parts }), { message });
  });

  test("the views of parts are views of the whole", async () => {
    const whole = createServer({ tools: [], parts: [group("left", serve(chart)), group("right", serve(chart))] });
    strictEqual(uriOf(whole.tools[0]), uriOf(whole.tools[1]));
    const [page] = await connect(whole).resources.read(uriOf(whole.tools[1]));
    strictEqual(page?.text, HTML);
  });

  test("a server of ./core has views by mcpCatalog", async () => {
    const tool = defineCoreTool("chart").describe("D").view(view({ html: HTML })).handle(() => 1);
    throws(() => createCoreServer({ tools: [tool], wires: [mcp()] }), /mcp\(\{ catalog: mcpCatalog \}\)/);
    const server = createCoreServer({ tools: [tool], wires: [mcp({ catalog: mcpCatalog })] });
    strictEqual((await connect(server).resources.list()).length, 1);
  });

  test("models get no tools of views alone: neither by agents nor by discover()", async () => {
    const free = defineTool("free").describe("Move a point").view(view({ visibility: ["app"] })).handle(() => 1);
    const server = createServer({ tools: [chart, free, who], discovery: discover({ when: "always" }) });
    deepStrictEqual(server.tools.map(({ name }) => name), ["chart", "free", "search_tools", "call_tool"]);
    const found = await callModern(server, "search_tools", { query: "move a point" });
    ok(!JSON.stringify(found["structuredContent"]).includes('"free"'));
    const { tools } = await openaiTools(createServer({ tools: [chart, free, who] }));
    deepStrictEqual(tools.map((tool) => tool.function.name), ["chart", "who"]);
  });
});

describe("views behind a gateway", () => {
  afterEach(() => opened.splice(0).forEach((transport) => transport.close()));

  test("the page is read at a URI of the gateway, with its metadata, and tools of views alone are passed on", async () => {
    const remote = await gateway("shop", connect(serve(chart, move)));
    const whole = createServer({ tools: [], parts: [group("shop", remote)], wires: [mcp()] });
    const uri = uriOf(whole.tools[0]);
    match(uri, /^ui:\/\/shop\/chart\/[0-9a-f]{12}$/);
    strictEqual(whole.tools[0]?._meta?.["ui/resourceUri"], uri);
    deepStrictEqual(await names(modern(whole, "tools/list")), ["shop_chart"]);
    deepStrictEqual(await names(modern(whole, "tools/list", {}, PATIENT)), ["shop_chart", "shop_move"]);
    const { resources } = connect(whole);
    deepStrictEqual((await resources.list()).map(({ uri }) => uri), [uri]);
    deepStrictEqual(await resources.templates(), []);
    const [page] = await resources.read(uri);
    strictEqual(page?.uri, uri);
    strictEqual(page.text, HTML);
    deepStrictEqual((page["_meta"] as { ui: Json }).ui["prefersBorder"], true);
    const { extensions } = (await modern(whole, "server/discover")).last.result?.["capabilities"] as Json;
    deepStrictEqual(extensions, { [UI]: SETTINGS });
  });

  test("a view that its server does not list is read, and two servers with the same URI do not mix", async () => {
    const unlisted = (name: string) => {
      const server = createServer({
        tools: [
          defineTool("t").describe("D").view(view({ html: `${HTML}${name}`, uri: "ui://t/page" })).handle(() => name),
        ],
      });
      const transport = connect(server);
      return gateway(
        name,
        Object.assign(transport, { resources: { ...transport.resources, list: () => Promise.resolve([]) } }),
      );
    };
    const parts = [group("a", await unlisted("a")), group("b", await unlisted("b"))];
    const whole = createServer({ tools: [], parts });
    for (const [index, name] of ["a", "b"].entries()) {
      const uri = uriOf(whole.tools[index]);
      strictEqual(uri, `ui://${name}/t/page`);
      strictEqual((await connect(whole).resources.read(uri))[0]?.text, `${HTML}${name}`);
    }
  });

  test("a gateway declares the extension to its server, so that it gets all tools", async () => {
    const remote = await gateway("who", connect(serve(who)));
    const whole = createServer({ tools: [], parts: [mount(remote)] });
    strictEqual((await callModern(whole, "who"))["structuredContent"], true);
  });
});

describe("mistakes in the definition of a view are errors at once", () => {
  const cases: readonly (readonly [options: unknown, message: RegExp])[] = [
    [{}, /pass html, file or url; visibility: \["app"\] alone is a tool without a page/],
    [
      { html: "<div>Hello</div>" },
      /html has to be a whole document, which begins with <!doctype html>; it begins with "<div>/,
    ],
    [{ html: HTML, url: "https://example.com/" }, /pass one of html and url/],
    [{ html: HTML, uri: "https://x" }, /uri must be like ui:\/\/chart\/view.html/],
    [{ html: HTML, uri: "ui://{id}" }, /without spaces and braces/],
    [
      { html: HTML, csp: { connectDomains: ["https://api.example.com/v1"] } },
      /connectDomains must be an array of origins/,
    ],
    [{ html: HTML, csp: { connectDomains: ["'self'"] } }, /connectDomains must be an array of origins/],
    [{ html: HTML, csp: { resourceDomains: ["https://a.b; script-src *"] } }, /resourceDomains must be/],
    [{ html: HTML, csp: { connect: [] } }, /there is no option "connect"; did you mean "connectDomains"/],
    [{ html: HTML, permissions: ["usb"] }, /permissions must be a list of "camera"/],
    [{ html: HTML, visibility: [] }, /visibility must be a list of "model", "app"/],
    [{ visibility: ["app"], csp: {} }, /csp is for its page; pass html, file or url, too/],
    [{ file: "./absent.html" }, /the file .\/absent.html (does not exist|cannot be read)|this platform has no files/],
    [{ url: "page.html" }, /url must be an absolute URL/],
  ];
  for (const [options, message] of cases) {
    test(JSON.stringify(options), () => throws(() => view(options as ViewOptions), { name: "TypeError", message }));
  }

  test("options in place of view()", () => {
    const tool = defineTool("chart").describe("D");
    throws(() => tool.view({ html: HTML } as never), {
      name: "TypeError",
      message: 'Cannot define tool "chart": .view() takes view({ html: "…" }), from "toolwire/apps"',
    });
  });
});
