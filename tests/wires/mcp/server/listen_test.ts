/** `subscriptions/listen`: news of 2026-07-28. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { Server } from "../../../../mod.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { type Json, modern, modernBody, modernHeaders, post, StreamReader } from "./client.ts";
import { createFixture } from "./fixture.ts";

const ID = "io.modelcontextprotocol/subscriptionId";

const skip = runtime === "workerd" && "a request's stream is not another request's to write to";

async function listen(server: Server, notifications: Json, id: string | number = "listen:0"): Promise<StreamReader> {
  const body = { ...modernBody("subscriptions/listen", { notifications }), id };
  return new StreamReader(await post(server, body, modernHeaders(body)));
}

test("the accepted filter is sent first, then only its notifications, each with the id", { skip }, async () => {
  const server = createFixture();
  const wanted = {
    toolsListChanged: true,
    resourceSubscriptions: ["docs://readme"],
    unknown: true,
    promptsListChanged: false,
  };
  const reader = await listen(server, wanted, 0);
  const first = await reader.nextMessage();
  strictEqual(first.method, "notifications/subscriptions/acknowledged");
  deepStrictEqual(first.params, {
    notifications: { toolsListChanged: true, resourceSubscriptions: ["docs://readme"] },
    _meta: { [ID]: 0 },
  });
  server.notify.listChanged("prompts");
  server.notify.resourceUpdated("books://1");
  server.notify.resourceUpdated("docs://readme");
  server.notify.listChanged("tools");
  const updated = await reader.nextMessage();
  deepStrictEqual([updated.method, updated.params], ["notifications/resources/updated", {
    uri: "docs://readme",
    _meta: { [ID]: 0 },
  }]);
  strictEqual((await reader.nextMessage()).method, "notifications/tools/list_changed");
  await reader.cancel();
});

test("a server that closes ends the stream with a result", { skip }, async () => {
  const server = createFixture();
  const reader = await listen(server, { toolsListChanged: true });
  await reader.nextMessage();
  await server.close();
  const { id, result } = await reader.nextMessage();
  deepStrictEqual([id, result?.["resultType"], (result?.["_meta"] as Json)[ID]], ["listen:0", "complete", "listen:0"]);
  strictEqual(await reader.next(), undefined);
});

test("where nothing is honoured the stream ends at once, without any wish it is refused", async () => {
  const bare = createFixture({}, { resources: [], prompts: [] });
  const { messages } = await modern(bare, "subscriptions/listen", { notifications: { promptsListChanged: true } });
  deepStrictEqual(messages.map(({ method, result }) => method ?? result?.["resultType"]), [
    "notifications/subscriptions/acknowledged",
    "complete",
  ]);
  const { status, last } = await modern(bare, "subscriptions/listen");
  deepStrictEqual([status, last.error?.code], [200, -32602]);
});

test("a client that has left gets no more notifications, and the others get all", { skip }, async () => {
  const server = createFixture();
  const readers = await Promise.all([1, 2, 3].map((id) => listen(server, { toolsListChanged: true }, id)));
  for (const reader of readers) await reader.nextMessage();
  await readers[0]?.cancel();
  server.notify.listChanged("tools");
  for (const [index, reader] of readers.entries()) {
    if (index > 0) deepStrictEqual((await reader.nextMessage()).params, { _meta: { [ID]: index + 1 } });
  }
  await server.close();
});
