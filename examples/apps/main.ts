/** Calls the tool as a program without views does, and finds the page as a host does: `bun examples/apps/main.ts`. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createClient } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { buildPage } from "./build_page.ts";
import { createSales, type Sales } from "./server.ts";

const html = await buildPage();
const { url, close } = await serve(createSales(html), { port: 0 });

const plain = mcpTransport(`${url}/mcp`);
deepStrictEqual((await createClient(plain).$.list()).map(({ name }) => name), ["sales"]);
const { content } = await plain.request("tools/call", { name: "sales", arguments: { region: "north" } });
deepStrictEqual(content, [{ type: "text", text: "Sold in the north: Jan 12, Feb 19, Mar 3, Apr 5, May 2, Jun 30" }]);

const host = mcpTransport(`${url}/mcp`);
host.declareExtension("io.modelcontextprotocol/ui", { mimeTypes: ["text/html;profile=mcp-app"] });
const [sales, share] = await createClient(host).$.list();
deepStrictEqual(share?.["_meta"], { ui: { visibility: ["app"] } });
const { resourceUri } = (sales?.["_meta"] as { ui: { resourceUri: string } }).ui;
match(resourceUri, /^ui:\/\/sales\/[0-9a-f]{12}$/);
const [page] = await host.resources.read(resourceUri);
strictEqual(page?.text, html);
ok(html.length < 20_000, `The page has ${html.length} characters`);

// What the page does: the host sends its call to the server.
strictEqual(await createClient<Sales>(host).share({ region: "south", month: "Mar" }), 0.625);

plain.close();
host.close();
await close();
console.log("All results are as expected.");
