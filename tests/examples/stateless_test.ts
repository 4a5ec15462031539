/** `examples/stateless` without workerd: what one instance promises, another redeems; `main.ts` does it in workerd. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createFarm } from "../../examples/stateless/farm.ts";
import {
  createRenderServer,
  type Fetcher,
  type RenderServer,
  type Video,
} from "../../examples/stateless/render_server.ts";
import { createClient, memoryTransport } from "../../mod.ts";

const KEYS = "k1:a secret that both of the instances know";

/** A farm whose clock is set by hand, and a way to connect to instances that use it. */
function openFarm() {
  const clock = { nowMs: 1_000_000 };
  const orders: string[] = [];
  const books = createFarm({ frameMs: 100, now: () => clock.nowMs });
  const farm: Fetcher = {
    fetch(request) {
      orders.push(request.method);
      return books.fetch(request);
    },
  };
  const connect = (keys = KEYS, to = farm) => {
    return createClient<RenderServer>(memoryTransport(createRenderServer({ keys, farm: to })), {
      retry: { attempts: 0 },
    });
  };
  return { clock, orders, connect };
}

test("render_video promises at one instance, and is redeemed at another", async () => {
  const { clock, connect } = openFarm();
  const work = await connect().render_video.start({ scene: "harbour", frames: 10 });
  clock.nowMs += 450;
  const elsewhere = connect().$.redeem<Video>(work.token);
  const status = await elsewhere.status();
  ok(status.kind === "promise");
  strictEqual(status.token, work.token);
  deepStrictEqual(status.progress, { done: 4, total: 10, message: "rendering" });
  clock.nowMs += 1_000;
  deepStrictEqual(await elsewhere.result(), { scene: "harbour", file: "harbour_10.mp4" });
  deepStrictEqual(await work.result(), { scene: "harbour", file: "harbour_10.mp4" });
});

test("render_video keeps its state in the token, where an instance with other keys cannot use it", async () => {
  const { connect } = openFarm();
  const { token } = await connect().render_video.start({ scene: "harbour", frames: 10 });
  match(
    atob(token.slice(5).replaceAll("-", "+").replaceAll("_", "/")),
    /\["render_video",\{"job":"[\w-]+","scene":"harbour"\}\]/,
  );
  const stranger = connect("k1:a secret that neither of them knows").$.redeem(token);
  await rejects(stranger.result(), { name: "ToolError", code: "invalid_promise" });
  await rejects(stranger.cancel(), { name: "ToolError", code: "invalid_promise" });
});

test("render_video is cancelled from another instance, until it is done", async () => {
  const { clock, connect } = openFarm();
  const work = await connect().render_video.start({ scene: "night", frames: 10 });
  strictEqual(await connect().$.redeem(work.token).cancel(), true);
  strictEqual(await work.cancel(), true);
  await rejects(work.result(), { name: "Failure", code: "cancelled" });

  const done = await connect().render_video.start({ scene: "night", frames: 1 });
  clock.nowMs += 100;
  strictEqual(await connect().$.redeem(done.token).cancel(), false);
  deepStrictEqual(await done.result(), { scene: "night", file: "night_1.mp4" });
});

test("render_video waits for what it promised when it is simply awaited", async () => {
  const { clock, orders, connect } = openFarm();
  const answer = connect().render_video({ scene: "dawn", frames: 3 });
  while (!orders.includes("GET")) await new Promise((resolve) => setTimeout(resolve, 5));
  clock.nowMs += 300;
  deepStrictEqual(await answer, { scene: "dawn", file: "dawn_3.mp4" });
  strictEqual(orders.filter((method) => method === "PUT").length, 1);
});

test("render_video passes on that the farm is out of order, or has lost its books", async () => {
  const { connect } = openFarm();
  const work = await connect().render_video.start({ scene: "dusk", frames: 3 });
  const closed: Fetcher = { fetch: () => Promise.resolve(new Response("closed", { status: 503 })) };
  await rejects(connect(KEYS, closed).$.redeem(work.token).result(), { name: "ToolError", code: "unavailable" });
  await rejects(connect(KEYS, createFarm()).$.redeem(work.token).result(), { name: "Failure", code: "job_gone" });
});

test("createFarm() orders a job once, however often it is sent", async () => {
  let nowMs = 0;
  const farm = createFarm({ frameMs: 10, now: () => nowMs });
  const ask = async (method: string, body?: unknown) => {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return await (await farm.fetch(new Request("http://farm/jobs/one", init))).json();
  };
  deepStrictEqual(await ask("PUT", { scene: "a", frames: 4 }), { done: 0, total: 4 });
  nowMs = 25;
  deepStrictEqual(await ask("PUT", { scene: "b", frames: 9 }), { done: 2, total: 4 });
  nowMs = 60;
  deepStrictEqual(await ask("GET"), { done: 4, total: 4, file: "a_4.mp4" });
});
