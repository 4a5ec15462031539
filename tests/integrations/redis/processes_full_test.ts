/** Replicas as processes of several runtimes that only share one Redis. */
import { textOf } from "../../wires/mcp/server/client.ts";
import { rejects, strictEqual } from "node:assert/strict";
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { findServer, startRedis } from "../../jobs/engines/programs.ts";
import { command, type Program, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { eventually, isHeard } from "./fixture.ts";

const PATIENCE_MS = 60_000;

function runtimeOf(name: string) {
  const runtime = runtimes.find((one) => one.name === name);
  if (runtime === undefined) throw new Error(`There is no runtime ${name}`);
  return runtime;
}

function start(runtime: string, bin: string, redis: string): Promise<Program> {
  return startProgram(
    command(runtimeOf(runtime), bin, "tests/integrations/redis/replica_program.ts", redis, "processes"),
  );
}

/** A client of the official SDK that sends calls to one replica and all other requests to another one. */
async function connect(calls: () => string, others: () => string) {
  const client = new Client({ name: "official", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  const transport = new StreamableHTTPClientTransport(new URL("http://replicas/mcp"), {
    fetch: (_, init = {}) => {
      const isCall = typeof init.body === "string" && init.body.includes('"tools/call"');
      return fetch(`${isCall ? calls() : others()}/mcp`, init);
    },
  });
  await client.connect(transport as never);
  return { client, transport, heard };
}

for (const [first, second] of [["bun", "deno"], ["node22", "node24"]] as const) {
  testWith(
    `processes share sessions, questions and news, and outlive one another (${first}, ${second})`,
    [runtimeOf(first).program, runtimeOf(second).program, findServer("redis")],
    async (one, two) => {
      const redis = await startRedis({ isPersistent: true });
      try {
        await using a = await start(first, one, redis.url);
        await using b = await start(second, two, redis.url);
        let calls = a.url;
        const { client, transport, heard } = await connect(() => calls, () => b.url);
        strictEqual(textOf(await client.callTool({ name: "ask" })), "Hello, Ada");
        await client.subscribeResource({ uri: "docs://readme" });
        await eventually("the other listens", () => isHeard(redis.url, "*:changes"));
        a.tell("notify");
        await eventually("it is heard", () => heard.length > 0);

        // The client sends the cancellation to the other replica.
        const leaving = new AbortController();
        const options = { signal: leaving.signal, onprogress: () => leaving.abort() };
        await rejects(client.callTool({ name: "wait" }, undefined, options));
        await a.printed(/aborted/, PATIENCE_MS);

        await redis.crash();
        await redis.restart();
        process.kill(a.pid, "SIGKILL");
        strictEqual(await a.exited, null);
        calls = b.url;
        await eventually("the session goes on", async () => {
          const reply = await client.callTool({ name: "ask" }).catch(() => undefined);
          return textOf(reply) === "Hello, Ada";
        });
        await transport.terminateSession();
        await client.close();
        b.tell("end");
        await b.printed(/ended/, PATIENCE_MS);
        strictEqual(await b.exited, 0, "nothing keeps it alive");
      } finally {
        await redis.stop();
      }
    },
    120_000,
  );
}
