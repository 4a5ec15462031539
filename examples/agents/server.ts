/**
 * A travel agency as tools: one that answers, one that streams, one that promises, one that fails and one that asks.
 *
 * @module
 */
import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
import { grpc } from "jsr:@toolwire/toolwire/grpc";
import * as v from "jsr:@toolwire/toolwire/schema";

const findTrains = defineTool("trains.find")
  .describe("Find trains between two cities")
  .input(v.object({
    from: v.string(),
    to: v.string(),
    after: v.optional(
      v.pipe(v.string(), v.description("Earliest departure")),
      "06:00",
    ),
  }))
  .output(v.array(v.object({ train: v.string(), departs: v.string() })))
  .annotate({ readOnlyHint: true })
  .handle(({ from, to, after }) =>
    [
      { train: `${from[0]}${to[0]} 1`, departs: "07:12" },
      { train: `${from[0]}${to[0]} 2`, departs: "09:40" },
    ].filter(({ departs }) => departs >= after)
  );

const reserveSeat = defineTool("trains.reserve")
  .describe("Reserve a seat in a train")
  .input(v.object({ train: v.string() }))
  .output(v.string())
  .errors({ sold_out: v.object({ next: v.string() }) })
  .handle(({ train }, ctx) => {
    if (train.endsWith("1")) {
      throw ctx.fail("sold_out", `${train} is sold out`, {
        next: train.replace("1", "2"),
      });
    }
    return `Seat 42 in ${train}`;
  });

const bookHotel = defineTool("book_hotel")
  .describe("Book a hotel; the hotel takes its time")
  .input(
    v.object({
      city: v.string(),
      nights: v.pipe(v.number(), v.integer(), v.minValue(1)),
    }),
  )
  .output(v.object({ booking: v.string() }))
  .promise({ budgetMs: 20 })
  .handle(async ({ city, nights }, ctx) => {
    for (let night = 1; night <= nights; night++) {
      ctx.progress(night, nights, "asking the hotel");
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return { booking: `${nights} nights in ${city}` };
  });

const writeItinerary = defineTool("write_itinerary")
  .describe("Write the itinerary, day by day")
  .input(v.object({ days: v.array(v.string()) }))
  .partial(v.string())
  .output(v.string())
  .handle(async function* ({ days }) {
    for (const [index, day] of days.entries()) {
      yield `Day ${index + 1}: ${day}. `;
    }
  });

const pay = defineTool("pay")
  .describe("Pay, once the traveller agrees")
  .input(v.object({ euros: v.number() }))
  .output(v.string())
  .handle(async ({ euros }, ctx) => {
    const answer = await ctx.elicit("agree", {
      message: `Pay ${euros} euros?`,
      schema: v.object({ agreed: v.boolean() }),
    });
    return answer.action === "accept" && answer.content.agreed ? `${euros} euros are paid` : "Nothing is paid";
  });

/** Makes the server; over HTTP it serves MCP-lite and, for gRPC, Connect. */
export function createAgency() {
  return createServer({
    name: "agency",
    version: "1.0.0",
    tools: [findTrains, reserveSeat, bookHotel, writeItinerary, pay],
    wires: [mcpLite(), grpc()],
    keys: "k1:a secret of at least thirty-two bytes",
  });
}
