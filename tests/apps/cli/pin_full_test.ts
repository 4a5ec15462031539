/** `toolwire pin`, as a process, against a server on a socket. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, type Server } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { webtoolsTransport } from "../../../src/entries/webtools.ts";
import { run } from "./run.ts";
import { createWeather } from "../../wires/webtools/weather.ts";

/** Each command is a process, and a machine may be busy. */
const LIMIT = { timeout: 60_000 };

/** Serves, and creates a folder for files; both end with the callback. */
async function withServer(server: Server, use: (url: string, folder: string) => Promise<void>): Promise<void> {
  const listening = await serve(server, { port: 0, graceMs: 0 });
  const folder = mkdtempSync(join(tmpdir(), "toolwire-pin-"));
  try {
    await use(`${listening.url}/webtools/weather`, folder);
  } finally {
    rmSync(folder, { recursive: true });
    await listening.close();
  }
}

test("toolwire pin prints the metadata, and its digest beside it", LIMIT, async () => {
  await withServer(createWeather().server, async (url) => {
    const { code, out, errors } = await run("pin", url);
    strictEqual(code, 0, errors);
    strictEqual(JSON.parse(out).version, "2.1.0");
    const [digest = ""] = /[\da-f]{64}/.exec(errors) ?? [];
    strictEqual((await fetch(url)).headers.get("etag"), `"${digest}"`);
    const old = await run("pin", url, "--version", "1.0.0");
    strictEqual(JSON.parse(old.out).version, "1.0.0");
  });
});

test(
  "toolwire pin --out writes a pin that a client takes, and says what has changed since the last",
  LIMIT,
  async () => {
    const { server } = createWeather();
    await withServer(server, async (url, folder) => {
      const file = join(folder, "weather.json");
      strictEqual((await run("pin", url, "--out", file)).code, 0);
      const pin = JSON.parse(readFileSync(file, "utf8"));
      const client = createClient<typeof server>(webtoolsTransport(url, { pin }));
      strictEqual((await client.get_current({ location: "Paris" })).temperature, 20);
      writeFileSync(file, JSON.stringify({ ...pin, description: "As it was" }));
      const again = await run("pin", url, "--out", file);
      match(again.errors, /written to .*weather\.json\n {2}the description of the webtool changed\n$/);
      deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), pin);
    });
  },
);

test("toolwire pin says what it cannot do", LIMIT, async () => {
  await withServer(createWeather().server, async (url) => {
    for (
      const [args, code, words] of [
        [["pin"], 2, /Usage: toolwire pin <url>/],
        [["pin", url, "more"], 2, /Usage/],
        [["pin", url, "--odd"], 2, /Usage/],
        [["pin", url, "--version", "9.9.9"], 5, /no version "9\.9\.9"/],
        [["pin", `${url}/x/y`], 5, /Cannot pin http.*\/x\/y: /],
        [["pin", "not a url"], 2, /Cannot pin not a url: /],
        [["toString"], 2, /Usage/],
      ] as const
    ) {
      const ended = await run(...args);
      strictEqual(ended.code, code, ended.errors);
      match(ended.errors, words);
      ok(!ended.errors.includes("    at "), "no stack");
    }
  });
});
