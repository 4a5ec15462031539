/** Programs that are not MCP servers: the error or the log states what was started, and what it did in place of an answer. */
import { match, rejects, strictEqual } from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { createClient, type ToolError } from "../../../../mod.ts";
import { gateway } from "../../../../src/entries/compose.ts";
import { stdioTransport } from "../../../../src/entries/stdio.ts";
import { KeptLog } from "../../../core/dispatch/harness.ts";

/** A program of this runtime, from its source. */
const run = (source: string, options: Parameters<typeof stdioTransport>[2] = {}) =>
  stdioTransport(process.execPath, [process.versions["deno"] === undefined ? "-e" : "eval", source], {
    stderr: "ignore",
    logger: new KeptLog(),
    env: { NO_COLOR: "1" },
    ...options,
  });

test("gateway() names the program that does not exist, and what to do", async () => {
  const logger = new KeptLog();
  await rejects(gateway("notes", stdioTransport("no-such-cmd"), { logger }), (error: ToolError) => {
    strictEqual(error.code, "unavailable");
    match(
      error.message,
      /^Cannot list the server "notes": Cannot start the server: no-such-cmd: there is no such program in PATH: install it, or give its path \(.+\)$/,
    );
    return true;
  });
});

test("a program that sends requests back is not an MCP server, and is not waited for", async () => {
  const ECHO = "process.stdin.pipe(process.stdout)";
  const message = /is not an MCP server: it sends each request back, in place of an answer$/;
  await rejects(gateway("notes", run(ECHO), { logger: new KeptLog() }), { code: "unavailable", message });
  const client = createClient(run(ECHO), { retry: { attempts: 0 } });
  try {
    await rejects(client.$.list(), { message });
  } finally {
    client.$.close();
  }
});

test("the error for a program that prints and ends has what it printed", async () => {
  const source =
    'process.stdin.once("data", () => { console.log("usage: notes FILE"); process.exitCode = 3; process.stdin.destroy(); })';
  const transport = run(source);
  await rejects(gateway("notes", transport, { logger: new KeptLog() }), {
    code: "unavailable",
    message: /ended with status 3; it printed "usage: notes FILE", which is not a message of MCP$/,
  });
});

test("the log has the first line that is not a message, from a program that does not answer", async () => {
  const warned = Promise.withResolvers<string>();
  const logger = { debug() {}, info() {}, warn: warned.resolve, error() {} };
  const source = 'console.log("listening on 3000"); console.log("ready"); process.stdin.resume()';
  const client = createClient(run(source, { logger }), { retry: { attempts: 0 } });
  try {
    const listed = client.$.list().catch(() => undefined);
    match(await warned.promise, /it printed "listening on 3000", which is not a message of MCP and is ignored/);
    client.$.close();
    await listed;
  } finally {
    client.$.close();
  }
});
