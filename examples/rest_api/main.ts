/** Calls the tool over MCP and by plain HTTP, with the API on this machine: `bun examples/rest_api/main.ts`. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createClient } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { createEarthquakes } from "./server.ts";
import { serveUsgs } from "./usgs.ts";

const usgs = await serveUsgs();
const server = createEarthquakes(usgs.url);
const { url, close } = await serve(server, { port: 0 });
const client = createClient<typeof server>(mcpTransport(`${url}/mcp`));

const strongest = await client.find_earthquakes({ period: "week", magnitude: "4.5", limit: 3 });
deepStrictEqual(strongest.map(({ magnitude }) => magnitude), [6.4, 6.1, 6.1]);
console.log(strongest.map(({ magnitude, place }) => `${magnitude} ${place}`).join("\n"));
const alaska = await client.find_earthquakes({ period: "week", place: "alaska" });
ok(alaska.length > 0 && alaska.every(({ place }) => place.includes("Alaska")));

// REST: a tool that only reads answers to GET. The same arguments come from the cache, whatever the wire.
const response = await fetch(`${url}/rest/tools/find_earthquakes?period=week&magnitude=4.5&limit=3`);
deepStrictEqual(await response.json(), strongest);
deepStrictEqual(usgs.requests, ["4.5_week", "2.5_week"]);

// Arguments are checked before the API sees them.
await rejects(client.find_earthquakes({ limit: 1_000 }), { code: "invalid_input" });
strictEqual(usgs.requests.length, 2);
client.$.close();
await close();
await usgs.close();

// An API that is down for a moment: the client tries a tool that only reads again. One that stays down is `unavailable`.
const shaky = await serveUsgs([503]);
const again = createEarthquakes(shaky.url);
const served = await serve(again, { port: 0 });
const patient = createClient<typeof again>(mcpTransport(`${served.url}/mcp`));
strictEqual((await patient.find_earthquakes({ period: "week", magnitude: "4.5" })).length, 10);
strictEqual(shaky.requests.length, 2);
await shaky.close();
const impatient = createClient<typeof again>(mcpTransport(`${served.url}/mcp`), { retry: { attempts: 0 } });
await rejects(impatient.find_earthquakes({ period: "hour" }), {
  code: "unavailable",
  message: "USGS cannot be reached",
});
await served.close();
console.log("All results are as expected.");
