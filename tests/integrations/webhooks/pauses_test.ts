/** `webhook`: how long it waits for an endpoint that fails. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import { type EndedCall, webhook } from "../../../src/entries/webhooks.ts";
import { asPromise } from "../../jobs/promises/promised.ts";
import { ENDPOINT, replicas } from "./receiver.ts";

const report = defineTool("report").describe("Write a report").promise().handle(async (_, ctx) => {
  await ctx.sleep("pause", 10_000);
});

test("a webhook waits for 60 pauses of its endpoint; a try in a further one is left out, but not the last", async () => {
  let asked = 0;
  let patient: string | undefined;
  const endpointOf = ({ principalId, callId }: EndedCall) => {
    if (principalId === "patient") {
      asked++;
      patient = callId;
    }
    return ENDPOINT;
  };
  const { receiver, start, pass, engine, clock } = replicas();
  const options = { retryMs: [10_000_000], timeoutMs: 100_000_000, fetch: receiver.fetch };
  const bench = start([report], { onComplete: [webhook(endpointOf, options)], work: { concurrency: 100 } });
  const begin = async (id: string) => void asPromise(await bench.call("report", {}, { peer: { principal: { id } } }));
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    for (let turns = 0; !await isSo() && turns < 1_000; turns++) await pass(0);
    ok(await isSo(), `asked ${asked} times, ${requests.length} requests are open`);
  };
  let waiting: string | undefined;
  const sleeps = async () => {
    waiting ??= await idOf("patient");
    return ((await engine.get(waiting ?? ""))?.wakeAtMs ?? 0) > clock.now();
  };
  /** The job that sends the webhook of a caller. */
  const idOf = async (caller: string) => {
    const jobs = await Promise.all(
      (await engine.list!({ tool: "webhook@completion" }, 200)).ids.map((id) => engine.get(id)),
    );
    return jobs.find((job) => job?.principal?.id === caller)?.id;
  };
  // Requests that wait for their failure, each of which begins a pause.
  const requests: ((response: Response) => void)[] = [];
  receiver.reply = () => new Promise((resolve) => void requests.push(resolve));
  const fail = async () => {
    requests.shift()!(new Response(null, { status: 500 }));
    await pass(0);
  };
  for (let n = 0; n < 66; n++) await begin("busy");
  await pass(10_000);
  await until(() => requests.length === 66);
  for (let n = 0; n < 5; n++) await fail();
  await begin("patient");
  await pass(10_000);
  await until(async () => asked === 1 && await sleeps());
  await pass(49_999);
  for (let pauses = 1; pauses <= 60; pauses++) {
    await fail();
    await pass(1);
    await until(async () => asked === pauses + 1 && await sleeps());
    await pass(59_998);
  }
  await pass(120_000);
  strictEqual(asked, 61, "its first try is left out");
  const countSent = () => receiver.got.filter(({ body }) => body.data.call_id === patient).length;
  strictEqual(countSent(), 0);
  await pass(10_000_000 - 120_000 - 60_000);
  await fail();
  await pass(59_999);
  await until(() => countSent() === 1);
  strictEqual(asked, 62, "its last try is made in a pause");
});
