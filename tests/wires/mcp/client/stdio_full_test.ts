/** Programs as servers: how they are found out, ended, and begun again. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { createClient, ToolError } from "../../../../mod.ts";
import { stdioTransport, type StdioTransportOptions } from "../../../../src/entries/stdio.ts";
import { root } from "../../../serve/programs.ts";
import { eventually } from "../../../eventually.ts";

const BUN = join(root, "node_modules/.bin/bun");
const PROGRAM = join(root, "tests/wires/mcp/client/stdio_odd_program.ts");
const done = "done";

const open = (how: string, options: StdioTransportOptions = {}) =>
  stdioTransport(BUN, [PROGRAM, how], { stderr: "ignore", ...options });

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

for (const how of ["plain", "dies of the unknown", "noisy", "crlf"]) {
  test(`an old server is spoken to: ${how}`, async () => {
    const transport = open(how);
    const client = createClient(transport);
    try {
      deepStrictEqual(await client.$.call("t"), done);
      strictEqual((await transport.server()).revision, "2025-06-18");
    } finally {
      client.$.close();
    }
  });
}

test("a program that exits before its first answer is unavailable, also with a pinned era", async () => {
  const { $ } = createClient(open("dies of the unknown", { era: "modern" }));
  await rejects($.call("t"), (error) => error instanceof ToolError && error.code === "unavailable");
  $.close();
});

test("a server program that ended is started again, with a new handshake", async () => {
  const client = createClient(open("plain"), { retry: { attempts: 0 } });
  try {
    const pid = Number(await client.$.call("pid"));
    await rejects(client.$.call("exit"), { name: "ToolError", code: "unavailable" });
    const other = Number(await client.$.call("pid"));
    ok(other !== pid && isRunning(other) && !isRunning(pid));
  } finally {
    client.$.close();
  }
});

test("a deep answer of a program ends its call; a deep message of no call ends the program and all calls", async () => {
  const tooDeep = { code: "result_too_large", message: /nested deeper than 1024 levels/ };
  const client = createClient(open("plain"), { retry: { attempts: 0 } });
  try {
    const pidOf = async () => Number(await client.$.call("pid"));
    const pid = await pidOf();
    const [deep, other] = await Promise.allSettled([client.$.call("deep"), client.$.call("pid")]);
    await rejects(Promise.reject(deep.status === "rejected" && deep.reason), tooDeep);
    strictEqual(other.status, "fulfilled");
    strictEqual(await pidOf(), pid);
    const hanging = rejects(client.$.call("hang"), tooDeep);
    await rejects(client.$.call("deep without an id"), tooDeep);
    await hanging;
    const next = await pidOf();
    ok(next !== pid);
    await eventually(() => !isRunning(pid));
  } finally {
    client.$.close();
  }
});

for (const how of ["plain", "does not end with its input", "ends by force alone"]) {
  test(`a server ends when its client closes: ${how}`, async () => {
    const client = createClient(open(how));
    const pid = Number(await client.$.call("pid"));
    ok(isRunning(pid));
    client.$.close();
    await rejects(client.$.call("t"), { code: "unavailable" });
    await eventually(() => !isRunning(pid));
  });
}

test("a server gets what it needs of the environment, and what it is given, and nothing else", async () => {
  process.env["TOOLWIRE_TEST_SECRET"] = "secret";
  const client = createClient(open("plain", { env: { GIVEN: "yes", TERM: undefined, ABSENT: undefined } }));
  try {
    const text = await client.$.call("env") as string;
    const names: string[] = JSON.parse(text);
    ok(names.includes("PATH") && names.includes("GIVEN") && !names.includes("TOOLWIRE_TEST_SECRET"));
    deepStrictEqual(names.filter((name) => ["TERM", "ABSENT"].includes(name)), []);
  } finally {
    delete process.env["TOOLWIRE_TEST_SECRET"];
    client.$.close();
  }
});

test("what a server writes beside messages goes where it is wanted", async () => {
  let written = "";
  const client = createClient(open("noisy", { stderr: (text) => void (written += text) }));
  try {
    await client.$.call("t");
    await eventually(() => written.includes("noise"));
  } finally {
    client.$.close();
  }
});

test("a line that is longer than it may be ends the server", async () => {
  const client = createClient(open("plain", { maxLineLength: 10_000 }), { retry: { attempts: 0 } });
  try {
    await rejects(client.$.call("big"), { code: "result_too_large" });
    deepStrictEqual(await client.$.call("t"), done);
  } finally {
    client.$.close();
  }
});

test("a missing program, or one in a missing folder, cannot be reached, and the cause names it", async () => {
  const program = join(root, "no-such-program");
  const folder = join(root, "no-such-folder");
  const causeOf = async (transport: ReturnType<typeof stdioTransport>) => {
    const client = createClient(transport, { retry: { attempts: 0 } });
    const error = await client.$.list().then(() => undefined, (thrown: unknown) => thrown);
    client.$.close();
    ok(error instanceof ToolError && error.code === "unavailable");
    return String(error.cause);
  };
  match(await causeOf(stdioTransport(program)), /no-such-program: .*(ENOENT|not found|No such file)/i);
  match(await causeOf(open("plain", { cwd: folder })), /bun: there is no folder .*no-such-folder/);
});

test("a missing program cannot be reached without the permission to read, either", async () => {
  const program = join(root, "tests/wires/mcp/client/stdio_unread_program.ts");
  const { stdout } = await promisify(execFile)(
    join(root, "node_modules/.bin/deno"),
    ["run", "--quiet", "--no-prompt", "--allow-run", "--allow-env", program],
    { cwd: root },
  );
  strictEqual(stdout, "unavailable\n");
});

test("a caller that leaves says so, and others go on", async () => {
  const client = createClient(open("plain"));
  try {
    const controller = new AbortController();
    const hanging = client.$.call("hang", {}, { signal: controller.signal });
    deepStrictEqual(await client.$.call("t"), done);
    controller.abort();
    await rejects(hanging, { name: "AbortError" });
    await eventually(async () => await client.$.call("cancelled") === "1");
  } finally {
    client.$.close();
  }
});
