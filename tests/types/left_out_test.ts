/**
 * An option that is `undefined` is the same as one that is left out: programs pass on options that they may not have, such as
 * `{ timeoutMs: settings.timeoutMs }`. The types take it, with `exactOptionalPropertyTypes`, and so does what runs.
 */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type ClientOptions, createClient, createServer, defineTool, type ServerOptions } from "../../mod.ts";
import { serve, type ServeOptions } from "../../src/entries/serve.ts";

const double = defineTool("double").describe("Double").handle(() => 4);
const tools = [double] as const;

test("a limit that is undefined is the default", async () => {
  const limits = { bodyBytes: undefined, depth: undefined, answerChars: undefined, resultChars: undefined };
  const server = createServer({ tools, limits });
  deepStrictEqual(server.limits, createServer({ tools }).limits);
  strictEqual(createServer({ tools, limits: { ...limits, depth: 3 } }).limits.depth, 3);
  strictEqual(await createClient(server).double(), 4);
});

test("server options that are undefined are left out", async () => {
  const options: Partial<ServerOptions<typeof tools>> = { keys: undefined, engine: undefined, timeoutMs: undefined };
  const server = createServer({ ...options, tools, name: undefined, hosts: undefined, logger: undefined });
  strictEqual(server.info.name, createServer({ tools }).info.name);
  strictEqual(await createClient(server).double(), 4);
});

test("a server's workers take options that are undefined", async () => {
  const server = createServer({ tools, work: false });
  await server.work({ concurrency: undefined }).stop();
});

test("client options that are undefined are left out", async () => {
  const server = createServer({ tools });
  const options: ClientOptions = { timeoutMs: undefined, idleTimeoutMs: undefined, retry: { attempts: undefined } };
  strictEqual(await createClient(server, options).double({}, { timeoutMs: undefined, signal: undefined }), 4);
  const client = createClient<typeof tools>("http://example.test", {
    ...options,
    headers: undefined,
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
  strictEqual(await client.double(), 4);
});

test("a port that is undefined is the default, 8000", async () => {
  const options: ServeOptions = { port: undefined, graceMs: undefined };
  // Another program may have that port: the error names it.
  const opened = await serve(createServer({ tools }), options).then(
    async ({ port, close }) => {
      await close();
      return `${port}`;
    },
    ({ message }: Error) => message,
  );
  match(opened, /\b8000\b/);
});
