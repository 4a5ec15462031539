/** loopbackRedirect(): a local server during the authorization. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { loopbackRedirect, type Redirect } from "../../../src/entries/oauth/loopback.ts";

const PAGE = new URL("https://login.example/authorize?state=the%20state");
const signal = new AbortController().signal;

test("loopbackRedirect() takes the answer to what was asked, and nothing else", async () => {
  const statuses: number[] = [];
  const redirect: Redirect = await loopbackRedirect({
    text: "Done",
    async open(page) {
      strictEqual(page, PAGE);
      for (
        const [path, method] of [
          ["/callback?code=evil", "GET"],
          ["/callback?code=evil&state=other", "GET"],
          ["/other?code=evil&state=the%20state", "GET"],
          ["/callback?code=evil&state=the%20state", "POST"],
          ["//evil.example/callback?state=the%20state", "GET"],
        ] as const
      ) {
        const response = await fetch(new URL(redirect.url).origin + path, { method });
        statuses.push(response.status);
        strictEqual(await response.text(), "Nothing here.");
      }
      const answered = await fetch(`${redirect.url}?code=good&state=the%20state&iss=x`);
      deepStrictEqual([answered.status, await answered.text()], [200, "Done"]);
      strictEqual(answered.headers.get("content-type"), "text/plain; charset=utf-8");
    },
  })();
  const answer = new URL(await redirect.visit(PAGE, signal));
  strictEqual(answer.href, `${redirect.url}?code=good&state=the%20state&iss=x`);
  deepStrictEqual(statuses, [404, 404, 404, 404, 404]);
  await redirect.close?.();
  await rejects(fetch(redirect.url));
});

test("loopbackRedirect() listens on the given port and path, and reports a port that is taken", async () => {
  const first = await loopbackRedirect({ open: () => {}, path: "/signed-in" })();
  const { port, pathname, hostname } = new URL(first.url);
  deepStrictEqual([pathname, hostname], ["/signed-in", "127.0.0.1"]);
  await rejects(loopbackRedirect({ open: () => {}, port: Number(port) })(), { code: "EADDRINUSE" });
  await first.close?.();
  const again = await loopbackRedirect({ open: () => {}, port: Number(port) })();
  strictEqual(new URL(again.url).port, port);
  await again.close?.();
});

test("loopbackRedirect() passes on that nothing could be opened", async () => {
  const redirect = await loopbackRedirect({ open: () => Promise.reject(new Error("no display")) })();
  await rejects(redirect.visit(PAGE, signal), { message: "no display" });
  await redirect.close?.();
});

const skip = runtime === "bun" && "does not end connections on which nothing was said; they keep no process alive";

test("loopbackRedirect() ends connections that a browser has opened beforehand", { skip }, async () => {
  const redirect = await loopbackRedirect({ open: () => {} })();
  const socket = connect(Number(new URL(redirect.url).port), "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket, "close");
  await redirect.close?.();
  await closed;
});

test("loopbackRedirect() refuses options that are none", () => {
  const open = () => {};
  for (
    const [options, message] of [
      [{}, /open must be a function/],
      [{ open, ports: 1 }, /did you mean "port"\?$/],
      [{ open, port: 65_536 }, /port must be a port/],
      [{ open, port: -1 }, /port must be a port/],
      [{ open, path: "callback" }, /path must be like/],
      [{ open, path: "/callback?a=b" }, /path must be like/],
      [{ open, text: 7 }, /text must be text/],
    ] as readonly [object, RegExp][]
  ) {
    throws(() => loopbackRedirect(options as never), { message });
  }
});
