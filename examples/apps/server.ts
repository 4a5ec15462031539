/**
 * A tool with a view: hosts with MCP Apps show a chart, all others get the numbers as text.
 *
 * @module
 */
import { createServer, defineTool } from "jsr:@toolwire/toolwire";
import { view } from "jsr:@toolwire/toolwire/apps";
import * as v from "jsr:@toolwire/toolwire/schema";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"];
const SOLD: Readonly<Record<string, readonly number[]>> = { north: [12, 19, 3, 5, 2, 30], south: [7, 11, 5, 8, 3, 7] };

const Region = v.picklist(["north", "south"]);

/** The chart. `html` is the page, built from `page.ts` by `build_page.ts`. */
function salesTool(html: string) {
  return defineTool("sales")
    .describe("Show the sales of a region in the first half of the year")
    .input(v.object({ region: Region }))
    .output(v.object({ region: Region, months: v.array(v.object({ name: v.string(), sold: v.number() })) }))
    .annotate({ readOnlyHint: true })
    .render(({ region, months }) =>
      `Sold in the ${region}: ${months.map(({ name, sold }) => `${name} ${sold}`).join(", ")}`
    )
    .view(view({ html, prefersBorder: true }))
    .handle(({ region }) => ({
      region,
      months: MONTHS.map((name, index) => ({ name, sold: SOLD[region]?.[index] ?? 0 })),
    }));
}

// Only the chart calls it, when its user clicks on a bar: models do not see it.
const share = defineTool("share")
  .describe("Share of a region in the sales of a month, from 0 to 1")
  .input(v.object({ region: Region, month: v.picklist(MONTHS) }))
  .output(v.number())
  .view(view({ visibility: ["app"] }))
  .handle(({ region, month }) => {
    const index = MONTHS.indexOf(month);
    const all = Object.values(SOLD).reduce((sum, sold) => sum + (sold[index] ?? 0), 0);
    return (SOLD[region]?.[index] ?? 0) / all;
  });

/** Creates the server with this page. */
export function createSales(html: string) {
  return createServer({ name: "sales", version: "1.0.0", tools: [salesTool(html), share] });
}

/** Type of the server, for the page. */
export type Sales = ReturnType<typeof createSales>;
