/**
 * The API on this machine, for a run without a network: a feed that USGS published on 2018-02-07, from the package `vega-datasets`.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

interface Feature {
  readonly properties: { readonly mag: number | null; readonly time: number };
}

const HOUR_MS = 3_600_000;
const PERIODS = new Map([["hour", HOUR_MS], ["day", 24 * HOUR_MS], ["week", 168 * HOUR_MS]]);

const file = new URL("../data/earthquakes.json", import.meta.resolve("vega-datasets"));
const all = JSON.parse(await readFile(file, "utf8")) as {
  readonly metadata: { readonly generated: number };
  readonly features: readonly Feature[];
};

/** Serves the feeds of an hour, a day and a week. The first statuses, if given, are those of the first answers. */
export async function serveUsgs(firstStatuses: number[] = []) {
  const requests: string[] = [];
  const http = createServer((request, response) => {
    const [, magnitude = "", period = ""] = /\/summary\/(all|[\d.]+)_(\w+)\.geojson$/.exec(request.url ?? "") ?? [];
    const ageMs = PERIODS.get(period);
    requests.push(`${magnitude}_${period}`);
    response.statusCode = firstStatuses.shift() ?? (ageMs === undefined ? 404 : 200);
    response.setHeader("content-type", "application/json").setHeader("retry-after", "0");
    response.end(
      JSON.stringify({ ...all, features: response.statusCode === 200 ? select(magnitude, ageMs ?? 0) : [] }),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => new Promise((resolve) => http.close(resolve)) };
}

function select(magnitude: string, ageMs: number): readonly Feature[] {
  const least = magnitude === "all" ? -Infinity : Number(magnitude);
  return all.features.filter(({ properties: { mag, time } }) => {
    return (mag ?? 0) >= least && time >= all.metadata.generated - ageMs;
  });
}
