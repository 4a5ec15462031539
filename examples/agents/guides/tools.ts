import { createServer, defineTool } from "toolwire";
import * as v from "toolwire/schema";

const findTrains = defineTool("find_trains")
  .describe("Find trains between two cities")
  .input(v.object({ from: v.string(), to: v.string() }))
  .handle(({ from, to }) => `${from} 06:00, ${to} 12:00`);

const cancelTrip = defineTool("cancel_trip")
  .describe("Cancel a trip that is paid for")
  .annotate({ destructiveHint: true })
  .input(v.object({ trip: v.string() }))
  .handle(({ trip }) => `Cancelled ${trip}`);

export const server = createServer({ tools: [findTrains, cancelTrip] });
