/**
 * The earthquake feeds of the United States Geological Survey (USGS) as tools: one request becomes one typed, checked answer, and
 * each error of the API becomes an error code that clients know.
 *
 * `bun examples/rest_api/server.ts` serves the feeds of https://earthquake.usgs.gov on port 8000.
 *
 * @module
 */
import { createServer, defineTool, ToolError } from "jsr:@toolwire/toolwire";
import { cache } from "jsr:@toolwire/toolwire/middleware";
import { mcp } from "jsr:@toolwire/toolwire/mcp";
import { rest } from "jsr:@toolwire/toolwire/rest";
import * as v from "jsr:@toolwire/toolwire/schema";
import { serve } from "jsr:@toolwire/toolwire/serve";

/** The part of the API's answer that the tools read. */
const Feed = v.object({
  features: v.array(v.object({
    id: v.string(),
    properties: v.object({ mag: v.nullable(v.number()), place: v.nullable(v.string()), time: v.number() }),
  })),
});

const Earthquake = v.object({ id: v.string(), magnitude: v.number(), place: v.string(), time: v.string() });

/** Creates the server; `api` is the address of the API, without a path. */
export function createEarthquakes(api = "https://earthquake.usgs.gov") {
  const find = defineTool("find_earthquakes")
    .describe("Find recent earthquakes, the strongest first")
    .input(v.object({
      period: v.optional(v.picklist(["hour", "day", "week", "month"]), "day"),
      magnitude: v.optional(v.pipe(v.picklist(["all", "1.0", "2.5", "4.5"]), v.description("Least magnitude")), "2.5"),
      place: v.optional(v.pipe(v.string(), v.description("Part of the name of the place")), ""),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 10),
    }))
    .output(v.array(Earthquake))
    .examples([{ input: { period: "week", magnitude: "4.5", place: "Alaska" } }])
    .annotate({ readOnlyHint: true, openWorldHint: true })
    .timeout(10_000)
    .use(cache({ ttlMs: 60_000 })) // The feeds change once a minute.
    .handle(async ({ period, magnitude, place, limit }, ctx) => {
      const { features } = await fetchFeed(
        `${api}/earthquakes/feed/v1.0/summary/${magnitude}_${period}.geojson`,
        ctx.signal,
      );
      return features
        .map(({ id, properties: { mag, place, time } }) => ({
          ...{ id, magnitude: mag ?? 0, place: place ?? "unknown", time: new Date(time).toISOString() },
        }))
        .filter((found) => found.place.toLowerCase().includes(place.toLowerCase()))
        .sort((a, b) => b.magnitude - a.magnitude)
        .slice(0, limit);
    });
  return createServer({ name: "earthquakes", version: "1.0.0", tools: [find], wires: [mcp(), rest()] });
}

/** Requests a feed. The request ends with the call: at its deadline, or if the caller disconnects. */
async function fetchFeed(url: string, signal: AbortSignal): Promise<v.InferOutput<typeof Feed>> {
  const response = await fetch(url, { signal }).catch((cause) => {
    throw new ToolError("unavailable", "USGS cannot be reached", { cause });
  });
  if (response.status === 429) {
    const retry_after_ms = 1_000 * Number(response.headers.get("retry-after") ?? 60);
    throw new ToolError("rate_limited", "USGS limits the rate of requests", { details: { retry_after_ms } });
  }
  if (!response.ok) throw new ToolError("unavailable", `USGS answered with status ${response.status}`);
  // An answer of another shape throws here. The caller gets `internal`, the log gets the path that does not fit.
  return v.parse(Feed, await response.json());
}

if (import.meta.main) console.log((await serve(createEarthquakes(), { port: 8_000 })).url);
