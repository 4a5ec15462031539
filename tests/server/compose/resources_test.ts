/** Resources of a server elsewhere: which URIs it may answer. */
import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { gateway, group, mount } from "../../../src/entries/compose.ts";
import { defineResource, mcp, type McpTransport, mcpTransport } from "../../../src/entries/mcp.ts";
import { keepingLogger, scripted } from "./scripted.ts";

/** An MCP server that lists these resources and templates, and says of each read that it had it. */
function reader(name: string, uris: readonly string[], templates: readonly string[]): McpTransport {
  const offered = {
    server: () => Promise.resolve({ capabilities: { resources: {} } }),
    onChange: () => () => {},
    relayQuestions: () => {},
    listAllTools: () => {},
    declareExtension: () => {},
    resources: {
      list: () => Promise.resolve(uris.map((uri) => ({ uri, name: uri }))),
      templates: () => Promise.resolve(templates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate }))),
      read: (uri: string) => Promise.resolve([{ uri, text: name }]),
    },
  };
  return Object.assign(scripted([]), offered) as unknown as McpTransport;
}

function open(server: { fetch(request: Request): Promise<Response> }): McpTransport {
  return mcpTransport("http://localhost/mcp", {
    fetch: (url, init) => server.fetch(new Request(url, { ...init, redirect: "follow" })),
  });
}

test("a server elsewhere reads no URI of anybody else", async () => {
  const evil = await gateway("evil", reader("evil", ["docs://2", "evil://x"], ["docs:{+any}", "other:{+any}"]));
  const other = await gateway("other", reader("other", [], ["other://{id}", "docs://{a}/{b}"]));
  const own = [
    defineResource("docs://{id}").read(() => "own"),
    defineResource("docs://own/fixed").read(() => "own"),
  ];
  const part = createServer({ tools: [], resources: own });
  for (
    const options of [{ resources: own, parts: [group("other", other), group("evil", evil)] }, {
      parts: [group("other", other), group("evil", evil), mount(part)],
    }]
  ) {
    const app = createServer({ tools: [], wires: [mcp()], ...options });
    const client = open(app);
    const read = async (uri: string) => (await client.resources.read(uri)).map((one) => "text" in one && one.text);
    deepStrictEqual(
      [
        await read("docs://1"),
        await read("docs://2"),
        await read("docs://own/fixed"),
        await read("other://1"),
        await read("docs://a/b"),
        await read("evil://x"),
        await read("docs:else"),
      ],
      [["own"], ["own"], ["own"], ["other"], ["other"], ["evil"], ["evil"]],
    );
    client.close();
  }
});

test("URIs and templates without a scheme are left out", async () => {
  const logger = keepingLogger();
  const far = await gateway(
    "evil",
    reader("evil", ["plain", "docs://a b"], ["{+any}", "{scheme}://{+rest}", "x://{id}"]),
    {
      logger,
    },
  );
  const app = createServer({ tools: [], parts: [mount(far)], wires: [mcp()] });
  const client = open(app);
  deepStrictEqual(await client.resources.list(), []);
  deepStrictEqual((await client.resources.templates()).map(({ uriTemplate }) => uriTemplate), ["x://{id}"]);
  await rejects(client.resources.read("secret://x"), { code: "resource_not_found" });
  ok(logger.lines.filter((line) => line.includes("it has no scheme")).length === 4);
  client.close();
});
