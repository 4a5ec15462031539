/** A server with each part of the console. `parts_server.ts --parts` runs it as a program. */
import process from "node:process";
import { defineTool, type Server } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { serve } from "../../src/entries/serve.ts";
import { webtools } from "../../src/entries/webtools.ts";
import { add } from "./page_server.ts";
import { paneServer, setWeather } from "./pane_server.ts";
import { weatherTools } from "./view_server.ts";

const rename = defineTool("rename").describe("Rename a file, after a question").promise().handle(async (_, ctx) => {
  const to = await ctx.elicit("to", { message: "To which name?", schema: v.object({ name: v.string() }) });
  return { renamed: to.action === "accept" && to.content.name };
});

const change = defineTool("set_weather").describe("Change the weather").input(v.object({ to: v.string() }))
  .handle(({ to }) => setWeather(to));

/** The server of the panes, with jobs, a view and all wires. */
export function partsServer(): Server {
  const tracker = webtools({ name: "tracker", description: "Issues", version: "1.4.0" });
  return paneServer(true, undefined, { tools: [add, rename, change, ...weatherTools], wires: [tracker] });
}

if (process.argv.includes("--parts")) {
  const { url } = await serve(partsServer(), { port: 0 });
  console.log(url);
}
