/** The server that every other file here mounts. */
import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
import { mcp } from "jsr:@toolwire/toolwire/mcp";
import { rest } from "jsr:@toolwire/toolwire/rest";
import * as v from "jsr:@toolwire/toolwire/schema";
import { webSocket } from "jsr:@toolwire/toolwire/websocket";

const greet = defineTool("greet")
  .describe("Greet someone")
  .input(v.object({ name: v.string() }))
  .handle(({ name }) => `Hello, ${name}!`);

const whoami = defineTool("whoami")
  .describe("Name the user of the session")
  .handle((_, ctx) => ctx.principal?.id ?? "a stranger");

const report = defineTool("report")
  .describe("Write a report")
  .promise()
  .handle(() => "done");

const countDown = defineTool("count_down")
  .describe("Count down to 1, a number at a time")
  .input(v.object({ from: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)) }))
  .handle(async function* ({ from }) {
    for (let left = from; left > 0; left--) yield left;
  });

/** Work of a call that is under way while its server closes. */
export interface Work {
  /** Resolves when the call has begun. */
  readonly begun: Promise<void>;
  /** Ends the call. */
  end(): void;
}

/** Creates the server of one application. With `basePath: "/v"` all of its wires answer below `/v`. */
export function createTools(basePath?: string) {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = defineTool("slow").describe("Work that takes a while").handle(async () => {
    begun.resolve();
    await ended.promise;
    return "whole";
  });
  const server = createServer({
    name: "mounted",
    version: "1.0.0",
    basePath,
    tools: [greet, whoami, report, countDown, slow],
    wires: [mcp(), mcpLite(), rest(), webSocket({ path: "/socket" })],
    hosts: ["localhost", "127.0.0.1"],
  });
  const work: Work = { begun: begun.promise, end: ended.resolve };
  return { server, work };
}

export type Tools = ReturnType<typeof createTools>["server"];
