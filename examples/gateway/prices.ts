/** A server behind gRPC: a stream of pieces, and a failure that was declared. */
import { createServer, defineTool } from "jsr:@toolwire/toolwire";
import { grpc } from "jsr:@toolwire/toolwire/grpc";
import * as v from "jsr:@toolwire/toolwire/schema";

const prices = new Map([["tea", [3, 4, 5]], ["milk", [1, 1, 2]]]);

const follow = defineTool("follow").describe("Follow the price of something").input(v.object({ item: v.string() }))
  .partial(v.object({ price: v.number() })).output(v.object({ last: v.number() }))
  .errors({ unknown_item: v.object({ known: v.array(v.string()) }) })
  .handle(async function* ({ item }, ctx) {
    const found = prices.get(item);
    if (found === undefined) throw ctx.fail("unknown_item", `Nobody sells ${item}`, { known: [...prices.keys()] });
    for (const price of found) yield { price };
    return { last: found.at(-1) ?? 0 };
  });

/** The server. */
export const server = createServer({ name: "prices", tools: [follow], wires: [grpc()] });
