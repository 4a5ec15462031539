/** The server that odd requests are sent to. */
import { deepStrictEqual } from "node:assert/strict";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, type Server } from "../../../mod.ts";
import { STATELESS } from "../../wires/descriptions/all.ts";
import type { RawRequest, Sending } from "../../wires/descriptions/description.ts";
import { RawObject } from "../../wires/descriptions/raw_messages.ts";

/** How often each server's tools ran. */
const runs = new WeakMap<Server, { count: number }>();

/** A server under its loopback names, which counts what runs. */
export function create(): Server {
  const ran = { count: 0 };
  const count = <Value>(value: Value): Value => {
    ran.count++;
    return value;
  };
  const server = createServer({
    logger: false,
    tools: [
      defineTool("echo").describe("Give back what came").handle((args) => count(args)),
      defineTool("double").describe("Double a number").input(v.object({ a: v.number() })).handle(({ a }) =>
        count(2 * a)
      ),
      defineTool("danger").describe("What must not run").handle(() => count("danger")),
    ],
    wires: STATELESS,
    hosts: ["localhost", "127.0.0.1", "[::1]"],
  });
  runs.set(server, ran);
  return server;
}

/** What is sent where it does not matter. */
export const HELLO = new RawObject([["text", "hello"]]);

/** How often its tools ran. */
export function runsOf({ server }: Pick<Sending, "server">): number {
  return runs.get(server)?.count ?? Number.NaN;
}

/** That it answers. */
export async function assertAlive({ dialect, send }: Sending): Promise<void> {
  deepStrictEqual(dialect.read(await send(dialect.call("echo", HELLO))), { kind: "answer", value: { text: "hello" } });
}

/** A call that is as it should be. */
export const hello = ({ dialect }: Sending): RawRequest => dialect.call("echo", HELLO);
