/**
 * A tour of MCP on several replicas: starts Redis, three replicas and nginx, without anything sticky; has clients of both eras
 * asked by one replica and answered at another; notifies them of changes at any replica; and kills a replica on the way.
 *
 * Run with `bun examples/mcp_replicas/main.ts`, or `deno run -A examples/mcp_replicas/main.ts`. It ends with 0 if all went as it
 * should, and with 1 and the reason if not.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict";
import process from "node:process";
import { createClient } from "jsr:@toolwire/toolwire";
import { type McpTransport, mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { REPLICA_HEADER } from "../replicas/nginx.ts";
import { missingPrograms } from "../replicas/programs.ts";
import { type Stage, startStage } from "../replicas/replicas.ts";
import { print, printStep } from "../replicas/transcript.ts";
import { type createReplica, MENU } from "./server.ts";

/** How many orders each client gives. */
const ORDERS = 6;

const missing = missingPrograms({ "redis-server": "redis-server", nginx: "nginx" });
if (missing === undefined) await takeTour();
else {
  console.error(`Cannot start the replicas: ${missing}`);
  process.exitCode = 1;
}

async function takeTour(): Promise<void> {
  print("Toolwire: MCP on several replicas");
  const stage = await startStage(["A", "B", "C"], new URL("replica.ts", import.meta.url));
  const guests = (["legacy", "modern"] as const).map((era) => visit(stage, era));
  try {
    for (const guest of guests) await giveOrders(guest);
    await hearOfChanges(guests);
    const [victim] = stage.replicas;
    printStep("Kill a replica", `kill -9 ${victim?.pid}`);
    await victim?.kill();
    for (const guest of guests) await giveOrders(guest);
    await hearOfChanges(guests);
    print("", "All as it should be.");
  } finally {
    for (const { client } of guests) client.$.close();
    await stage.stop();
  }
}

/** A client of nginx that knows which replicas took its calls and its answers. */
function visit({ url, replicas }: Stage, era: "legacy" | "modern") {
  const trail: string[] = [];
  const nameOf = (address: string) => replicas.find(({ port }) => address.endsWith(`:${port}`))?.name ?? "nobody";
  const transport: McpTransport = mcpTransport(`${url}/mcp`, {
    era,
    async fetch(to, init) {
      const response = await fetch(to, init);
      const { method, id } = typeof init.body === "string" ? JSON.parse(init.body) : {};
      const isAnswer = method === undefined && id !== undefined;
      const replica = nameOf(response.headers.get(REPLICA_HEADER)?.split(", ").at(-1) ?? "");
      if (method === "tools/call" || isAnswer) trail.push(replica);
      return response;
    },
  });
  const client = createClient<ReturnType<typeof createReplica>>(transport, {
    onElicitation: () => ({ action: "accept", content: { size: "large" } }),
  });
  return { era, trail, transport, client };
}

type Guest = ReturnType<typeof visit>;

async function giveOrders({ era, trail, client }: Guest): Promise<void> {
  const what = era === "legacy" ? "2025-11-25, in a session" : "2026-07-28, without";
  printStep(`Ask and be answered (${what})`, 'await client.order({ what: "coffee" });');
  let crossed = 0;
  for (let n = 0; n < ORDERS; n++) {
    trail.length = 0;
    const { said, served_by: servedBy } = await client.order({ what: "coffee" });
    strictEqual(said, "One large coffee");
    // The result of an order may arrive before the replica that took the answer is known.
    await eventually(() => trail.length > 1);
    if (new Set(trail).size > 1) crossed++;
    print(`${said}: called and answered at ${trail.join(", ")}; served by ${servedBy}`);
  }
  ok(crossed > 0, "Nothing went from one replica to another");
}

async function hearOfChanges(guests: readonly Guest[]): Promise<void> {
  printStep("Hear of changes", `await transport.resources.subscribe("${MENU}", onUpdate);`);
  const heard = new Set<string>();
  const leave = await Promise.all(guests.map(({ era, transport }) => {
    return transport.resources.subscribe(MENU, () => void heard.add(era));
  }));
  const [first] = guests;
  const changedAt = new Set<string>();
  await eventually(async () => {
    // A stream that was broken with its replica is opened again first: changes in between are lost.
    if (heard.size < guests.length) changedAt.add(String(await first?.client.change_menu({})));
    return heard.size === guests.length;
  });
  print(`Changed at ${[...changedAt].join(", ")}; heard by both.`);
  for (const end of leave) end();
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("It did not happen");
}
