/** Promises over REST: 202 with Location, polled by GET, cancelled by DELETE; preferences of the caller. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../../mod.ts";
import { restTransport } from "../../../src/entries/rest.ts";
import { ask, createLibrary } from "./library.ts";

type Library = ReturnType<typeof createLibrary>;

async function start({ server }: Library, pages = 3) {
  const promised = await ask(server, "POST", "/rest/tools/scan", { pages }, { prefer: "respond-async" });
  strictEqual(promised.status, 202, promised.text);
  return { promised, location: promised.headers.get("location") ?? "" };
}

test("a promise is 202 with Location and Retry-After, and becomes the answer", async () => {
  const library = createLibrary();
  const { promised, location } = await start(library);
  match(location, /^\/rest\/tools\/scan\/promises\/prom_[\w-]+$/);
  ok(location.endsWith(promised.json.promise_token));
  match(promised.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  strictEqual(promised.headers.get("preference-applied"), "respond-async");
  const pending = await ask(library.server, "GET", location);
  deepStrictEqual([pending.status, pending.headers.get("location")], [202, location]);
  library.gate.resolve();
  const done = await ask(library.server, "GET", location, undefined, { prefer: "wait=20" });
  deepStrictEqual([done.status, done.json, done.headers.get("preference-applied")], [200, { scanned: 3 }, "wait=20"]);
  strictEqual((await ask(library.server, "GET", location)).text, '{"scanned":3}');
  await library.server.close(0);
});

test("a failure of promised work is a problem of the promise", async () => {
  const library = createLibrary();
  const { location } = await start(library, 101);
  library.gate.resolve();
  const { status, json } = await ask(library.server, "GET", location, undefined, { prefer: "wait=20" });
  deepStrictEqual([status, json.code, json.data], [422, "torn", { page: 7 }]);
  await library.server.close(0);
});

test("DELETE cancels, and the promise then has the failure cancelled", async () => {
  const library = createLibrary();
  const { location } = await start(library);
  const cancelled = await ask(library.server, "DELETE", location);
  deepStrictEqual([cancelled.status, cancelled.json], [200, { cancelled: true }]);
  const { status, json } = await ask(library.server, "GET", location);
  deepStrictEqual([status, json.code], [422, "cancelled"]);
  await library.server.close(0);
});

test("wait: the call returns the promise when the time is over, and waits past the tool's own budget", async () => {
  const library = createLibrary();
  const first = await ask(library.server, "POST", "/rest/tools/scan", { pages: 1 }, { prefer: "wait=0" });
  strictEqual(first.status, 202);
  const waiting = ask(library.server, "POST", "/rest/tools/scan", { pages: 2 }, { Prefer: "wait=20, respond-async" });
  // The budget of the tool is 200 ms.
  setTimeout(() => library.gate.resolve(), 400);
  const { status, json, headers } = await waiting;
  deepStrictEqual([status, json], [200, { scanned: 2 }]);
  strictEqual(headers.get("preference-applied"), "respond-async, wait=20");
  await library.server.close(0);
});

test("preferences that do not apply are ignored", async () => {
  const { server } = createLibrary();
  for (
    const prefer of ["respond-async", "wait=5", "return=minimal", "wait=x", "wait=-1", "handling=strict;wait=1", ""]
  ) {
    const { status, headers } = await ask(server, "POST", "/rest/tools/add", { a: 1 }, { prefer });
    deepStrictEqual([status, headers.get("preference-applied")], [200, null], prefer);
  }
});

test("a promise has one tool: below another one, or damaged, it is invalid_promise", async () => {
  const library = createLibrary();
  const { location, promised } = await start(library);
  for (
    const path of [
      location.replace("/scan/", "/add/"),
      location.replace("/scan/", "/redeem/"),
      `${location}x`,
      location.replace("prom_", "cont_"),
      "/rest/tools/scan/promises/x",
    ]
  ) {
    for (const method of ["GET", "DELETE"]) {
      const { status, json } = await ask(library.server, method, path);
      deepStrictEqual([status, json.code], [400, "invalid_promise"], `${method} ${path}`);
    }
  }
  // It is still pending, and any client can redeem it.
  const redeemed = await ask(library.server, "POST", "/rest/tools/redeem", { promise: promised.json.promise_token });
  deepStrictEqual([redeemed.status, redeemed.headers.get("location")], [202, location]);
  await library.server.close(0);
});

test("a promise is streamed: progress, then the answer", async () => {
  const library = createLibrary();
  const { location } = await start(library);
  setTimeout(() => library.gate.resolve(), 20);
  const { text } = await ask(library.server, "GET", location, undefined, { accept: "text/event-stream" });
  match(text, /event: done\ndata: \{"content":\{"scanned":3\}\}\n\n$/);
  await library.server.close(0);
});

test("what is promised over REST is redeemed by the client, and the other way round", async () => {
  const library = createLibrary();
  const fetch = (url: string, init: RequestInit) => library.server.fetch(new Request(url, init));
  const client = createClient<Library["server"]>(restTransport("http://localhost/rest", { fetch }));
  const job = await client.scan.start({ pages: 9 });
  library.gate.resolve();
  const path = `/rest/tools/scan/promises/${job.token}`;
  deepStrictEqual((await ask(library.server, "GET", path, undefined, { prefer: "wait=20" })).json, { scanned: 9 });
  deepStrictEqual(await job.result(), { scanned: 9 });
  await library.server.close(0);
});
