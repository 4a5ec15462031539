/** When a remote server is listed again, and which listeners are notified. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { FakeClock, testClient } from "../../../src/entries/testing.ts";
import { listing, scripted } from "./scripted.ts";
import type { Transport } from "../../../src/entries/wire.ts";

test("calls of a removed tool list the server again at intervals, and callers are notified of changes only", async () => {
  let lists = 0;
  let news = 0;
  const remote = scripted([listing("gone")], () => ({ kind: "error", code: "tool_not_found", message: "No" }));
  const { list } = remote;
  remote.list = function (limit) {
    lists++;
    return list.call(this, limit);
  };
  const far = await gateway("far", remote);
  const clock = new FakeClock();
  const app = createServer({ tools: [], parts: [mount(far)], clock });
  far["~contents"].changes.subscribe(() => void news++);
  const client = testClient(app);
  const lose = () => rejects(client.$.call("gone"), { code: "tool_not_found" });
  for (let calls = 0; calls < 50; calls++) await lose();
  await far.refresh();
  // The first list, one for all calls, and the last.
  deepStrictEqual([lists, news], [3, 0]);
  clock.tick(5_000);
  remote.listed = [listing("other")];
  await lose();
  await far.refresh();
  deepStrictEqual([far.tools.map(({ name }) => name), lists, news], [["other"], 5, 1]);
  await app.close(0);
});

test("what changes while a gateway begins is not lost", async () => {
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  let tell = () => {};
  let lists = 0;
  const remote = Object.assign(scripted([]), {
    server: () => Promise.resolve({ capabilities: {} }),
    relayQuestions: () => {},
    listAllTools: () => {},
    declareExtension: () => {},
    onChange: (_: string, listener: () => void) => {
      tell = listener;
      return () => {};
    },
    list: async () => {
      if (++lists > 1) return [listing("new")];
      begun.resolve();
      await first.promise;
      return [listing("old")];
    },
  });
  const beginning = gateway("far", remote as Transport);
  await begun.promise;
  tell();
  // A caller that lists out of turn has done it by then.
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
  strictEqual(lists, 1);
  first.resolve();
  const far = await beginning;
  far["~contents"].changes.subscribe(() => changed.resolve());
  if (far.tools[0]?.name !== "new") await changed.promise;
  deepStrictEqual(far.tools.map(({ name }) => name), ["new"]);
  far.close();
});
