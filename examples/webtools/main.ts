/**
 * Serves the weather, and uses it as strangers do: discovers, configures, calls, pins, and sees a change refused.
 *
 * Run with `bun examples/webtools/main.ts` or `deno run -A examples/webtools/main.ts`. It ends with 0 if all went as it
 * should, and with 1 and an assertion's message if not.
 *
 * @module
 */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { createClient, Failure } from "jsr:@toolwire/toolwire";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { fetchWebtool, webtoolsTransport } from "jsr:@toolwire/toolwire/webtools";
import { server, type WeatherV1 } from "./server.ts";
import { getWeatherTool, runGetCurrent } from "./snippets.ts";

const listening = await serve(server, { port: 0 });
const url = `${listening.url}/webtools/weather`;
try {
  const { metadata, digest } = await fetchWebtool(url);
  console.log(`${metadata.name} ${metadata.version}: ${metadata.description}`);
  for (const { name, description } of metadata.actions) console.log(`  ${name}: ${description}`);
  deepStrictEqual(metadata.actions.map(({ name }) => name), ["get_current", "get_days"]);

  const weather = createClient<typeof server>(webtoolsTransport(url, { config: { units: "imperial" } }));
  const today = await weather.get_current({ location: "Seattle", date: "2015-12-08" });
  console.log(
    `\nSeattle on ${today.date}: ${today.conditions}, up to ${today.highest} °F, umbrella: ${today.umbrella}`,
  );
  deepStrictEqual([today.conditions, today.highest, today.umbrella], ["rain", 60.1, true]);

  const days = await weather.get_days({ location: "New York", date: "2015-07-01", days: 3 });
  console.log(`New York, three days: ${days.map(({ conditions }) => conditions).join(", ")}`);
  strictEqual(days.length, 3);

  console.log("\nRefused before anything is sent, as the metadata says what fits:");
  const wrong = createClient<typeof server>(webtoolsTransport(url, { config: { units: "kelvin" } }));
  await rejects(wrong.get_current({ location: "Seattle" }), (error: Error) => {
    console.log(`  ${error.message}`);
    return /Invalid config at "units"/.test(error.message);
  });
  console.log("Refused by the tool, with a code of its own:");
  await rejects(weather.get_current({ location: "Atlantis" }), (error) => {
    console.log(`  ${(error as Failure).code}: ${(error as Error).message}`);
    return error instanceof Failure && error.code === "NO_STATION";
  });

  console.log("\nVersion 1.0.0 is still there, typed, and pinned:");
  const old = await fetchWebtool(url, { version: "1.0.0" });
  const pinned = createClient<WeatherV1>(webtoolsTransport(url, { pin: old.metadata }));
  deepStrictEqual(await pinned.get_current({ location: "Seattle" }), { temperature: 5.6, conditions: "sun" });
  console.log("  get_current: 5.6 °C, sun");

  console.log("A pin that is not what the server says, as after a change nobody has looked at:");
  const [action] = old.metadata.actions;
  const other = { ...old.metadata, actions: [{ ...action, name: "get_current", description: "As I read it" }] };
  const suspicious = createClient(webtoolsTransport(url, { pin: other as typeof old.metadata }));
  await rejects(suspicious.$.call("get_current", { location: "Seattle" }), (error: Error) => {
    console.log(`  ${error.message}`);
    return /the description of action "get_current" changed/.test(error.message);
  });
  match(digest, /^[\da-f]{64}$/);

  console.log("\nThe calls of the specification's guides:");
  const tool = await getWeatherTool(url);
  deepStrictEqual(Object.keys(tool.parameters["properties"] as object), ["location", "date"]);
  const fromModel = await tool.execute({ action: "get_current", location: "New York", date: "2012-07-04" });
  console.log(`  Vercel AI SDK: ${JSON.stringify(fromModel)}`);
  strictEqual((fromModel as { date: string }).date, "2012-07-04");
  const envelope = await runGetCurrent(url, "Seattle", "imperial");
  console.log(`  LangChain: ${JSON.stringify(envelope)}`);
  strictEqual((envelope as { status: string }).status, "ok");
  console.log("\nAll as it should be.");
} finally {
  await listening.close();
}
