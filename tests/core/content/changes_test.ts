import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../dispatch/harness.ts";
import { CatalogBench } from "./harness.ts";
import type { Change, ChangeBus } from "../../../src/entries/wire.ts";

const CHANGES: readonly Change[] = [
  { kind: "resource-updated", uri: "docs://readme" },
  { kind: "list-changed", list: "tools" },
  { kind: "list-changed", list: "prompts" },
  { kind: "list-changed", list: "resources" },
];

function notifyAll({ server: { notify } }: CatalogBench): void {
  notify.resourceUpdated("docs://readme");
  notify.listChanged("tools");
  notify.listChanged("prompts");
  notify.listChanged("resources");
}

test("notify tells every listener, in order, until it stops listening", () => {
  const bench = new CatalogBench({});
  const [one, other] = [bench.hear(), bench.hear()];
  const received: Change[] = [];
  const stop = bench.host.changes.subscribe((change) => void received.push(change));
  notifyAll(bench);
  stop();
  stop();
  bench.server.notify.listChanged("tools");
  deepStrictEqual([one.slice(0, 4), other.slice(0, 4), received], [CHANGES, CHANGES, CHANGES]);
  deepStrictEqual([one.length, other.length], [5, 5]);
});

test("a function may listen twice, and stops by one of the two", () => {
  const { server, host } = new CatalogBench({});
  let calls = 0;
  const listener = () => void calls++;
  const stop = host.changes.subscribe(listener);
  host.changes.subscribe(listener);
  server.notify.listChanged("tools");
  stop();
  server.notify.listChanged("tools");
  strictEqual(calls, 3);
});

test("a bus of one's own carries changes, and is closed with the server", async () => {
  const published: (Change | "closed")[] = [];
  const changes: ChangeBus = {
    publish: async (change) => {
      await Promise.resolve();
      published.push(change);
    },
    subscribe: () => () => {},
    close: () => void published.push("closed"),
  };
  const bench = new CatalogBench({ changes });
  notifyAll(bench);
  await settle();
  await bench.server.close();
  deepStrictEqual(published, [...CHANGES, "closed"]);
});

for (
  const [name, publish] of [
    ["throws", () => {
      throw new Error("no bus");
    }],
    ["rejects", () => Promise.reject(new Error("no bus"))],
  ] as const
) {
  test(`a bus that ${name} is logged, and breaks nothing`, async () => {
    const bench = new CatalogBench({ changes: { publish, subscribe: () => () => {} } });
    bench.server.notify.listChanged("tools");
    await settle();
    deepStrictEqual(bench.log.lines.map(({ level, fields }) => [level, String(fields["error"]), fields["change"]]), [
      ["error", "Error: no bus", CHANGES[1]],
    ]);
  });
}
