/** The commands that call, over every wire, against servers of this process; and each row of wrong_use.md. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createClient } from "../../../mod.ts";
import { systemClock } from "../../../src/internal/time.ts";
import { serve } from "../../../src/entries/serve.ts";
import { runtime } from "../../runtime/runtime.ts";
import { runHere } from "./run_here.ts";
import { createTools, runs } from "./tools_server.ts";
import { eventually } from "../../eventually.ts";

const LIMIT = { timeout: 120_000 };

/** Serves the tools while `use` runs. */
async function withTools(use: (urls: Readonly<Record<string, string>>) => Promise<void>): Promise<void> {
  const server = createTools();
  const { url, grpcUrl = "", close } = await serve(server, { port: 0, grpc: { port: 0 } });
  try {
    await use({
      "mcp": `${url}/mcp`,
      "mcp-lite": url,
      "rest": `${url}/rest`,
      "webtools": `${url}/webtools/tools`,
      "connect": url,
      "grpc": grpcUrl.replace("http:", "grpc:"),
    });
  } finally {
    await close();
  }
}

/** Runs a command, with its wire named if the URL alone does not say it. */
async function run(wire: string, ...args: readonly string[]) {
  const named = wire === "connect" ? ["--wire", wire] : [];
  return await runHere({ cwd: tmpdir() }, ...args, ...named);
}

test("list and call give the same over every wire", LIMIT, async () => {
  await withTools(async (urls) => {
    for (const [wire, url] of Object.entries(urls)) {
      const listed = await run(wire, "list", url, "--tools");
      match(listed.out, /^\/\/ Add two numbers\nadd\(a: number, b\?: number\) => number\n/, wire);
      const json = JSON.parse((await run(wire, "list", url, "--json")).out);
      strictEqual(json.wire, wire);
      for (
        const [words, out] of [
          [["add", "a=1", "b=2"], "3\n"],
          [["address", "city=Bern", "zip=007", "floor=null"], "007 Bern, floor null\n"],
          [["count", "to=3"], "1\n2\n3\n"],
          [["work"], "worked\n"],
          [["job"], "the job is done\n"],
          [["order", "what=tea", "--answer", "count=3"], "3 tea\n"],
          [["order", "what=tea", "--answer", "count=30", "--answer", "gift=true", "--yes"], "30 tea as a gift\n"],
        ] as const
      ) {
        const { code, out: printed, errors } = await run(wire, "call", url, ...words);
        deepStrictEqual({ code, printed }, { code: 0, printed: out }, `${wire}: ${words.join(" ")}: ${errors}`);
      }
      const { answer, outcome, wire: used } = JSON.parse((await run(wire, "call", url, "add", "a=2", "--json")).out);
      deepStrictEqual({ answer, outcome, used }, { answer: 2, outcome: "answer", used: wire });
    }
  });
});

test("streams are printed piece by piece where the wire has pieces", LIMIT, async () => {
  await withTools(async (urls) => {
    for (const [wire, url] of Object.entries(urls)) {
      const { out } = await run(wire, "call", url, "count", "to=2", "--ndjson");
      const events = out.trim().split("\n").map((line) => JSON.parse(line));
      const pieces = wire === "webtools" ? [] : [{ partial: "1\n" }, { partial: "2\n" }];
      deepStrictEqual(events.slice(0, -1), pieces, wire);
      strictEqual(events.at(-1).answer, "1\n2\n");
    }
  });
});

test("a promise of one wire is watched, redeemed and cancelled over the others", LIMIT, async () => {
  await withTools(async (urls) => {
    const begin = async (wire: string, ...words: readonly string[]) => {
      const { code, out, errors } = await run(wire, "call", urls[wire] ?? "", "job", ...words, "--detach");
      strictEqual(code, 0, errors);
      return out.trim();
    };
    for (const [wire, url] of Object.entries(urls)) {
      const token = await begin(wire === "rest" ? "mcp" : "rest", "stepMs=20");
      const watched = await run(wire, "watch", url, token);
      match(watched.out, /ended with an answer\n$/, `${wire}: ${watched.errors}`);
      strictEqual((await run(wire, "redeem", url, token)).out, "the job is done\n");
      strictEqual((await run(wire, "redeem", url, token, "--status")).out, "answer\n");
      strictEqual((await run(wire, "cancel", url, token)).out, "had already ended\n");
      const long = await begin(wire, "steps=500");
      match((await run(wire, "redeem", url, long, "--status")).out, /^running, expires in \d+ s/);
      const waited = await run(wire, "redeem", url, long, "--wait", "100ms", "--json");
      strictEqual(waited.code, 4, waited.errors);
      deepStrictEqual(JSON.parse((await run(wire, "cancel", url, long, "--json")).out), { cancelled: true });
      const ended = await run(wire, "redeem", url, long);
      strictEqual(ended.code, 5, ended.errors);
      match(ended.errors, /\(cancelled\)/);
      const seen = await run(wire, "watch", url, long);
      deepStrictEqual([seen.code, seen.errors], [5, "The work was cancelled (cancelled)\n"], wire);
    }
    const piped = await runHere({ cwd: tmpdir(), input: `${await begin("mcp")}\n` }, "redeem", urls["mcp"] ?? "", "-");
    strictEqual(piped.out, "the job is done\n");
  });
});

// The connection of a command ends with its process. Here both ends are in one process, which continues.
const KEEPS_CONNECTIONS = runtime === "deno" && "Deno may leave the connection of an aborted request open";

test("Ctrl+C cancels the call, and the work of its promise, over every wire", {
  ...LIMIT,
  skip: KEEPS_CONNECTIONS,
}, async () => {
  await withTools(async (urls) => {
    for (const [wire, url] of Object.entries(urls)) {
      for (const tool of ["work", "job"]) {
        const before = { ...runs };
        let interrupt = () => {};
        let detached = false;
        const promised = Promise.withResolvers<void>();
        const place = {
          onNote: (text: string) => void (detached ||= text.includes("Press Ctrl+C again")),
          cwd: tmpdir(),
          onInterruptible: (by: () => void) => void (interrupt = by),
          onOut: (text: string) => text.includes('"promise"') && promised.resolve(),
        };
        const named = wire === "connect" ? ["--wire", wire] : [];
        const running = runHere(place, "call", url, tool, "steps=2000", "stepMs=10", "--ndjson", ...named);
        await eventually(() => runs.begun > before.begun);
        // A job is promised after its budget, and the command prints it once it knows the token.
        if (tool === "job") await Promise.race([promised.promise, running]);
        interrupt();
        // A promised call is detached from by the first one.
        if (tool === "job") await eventually(() => detached);
        if (tool === "job") interrupt();
        const { code, out, errors } = await running;
        const lines = out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
        const answers = lines.filter((line) => !("progress" in line) && !("promise" in line));
        deepStrictEqual({ code, answers }, { code: 130, answers: [] }, `${wire} ${tool}: ${errors}`);
        match(errors, /Interrupted; the call is cancelled\n$/, `${wire} ${tool}`);
        await eventually(() => runs.aborted > before.aborted);
      }
    }
  });
});

test("a call that waits for days prints what for, and its token; Ctrl+C detaches from it", {
  ...LIMIT,
  skip: KEEPS_CONNECTIONS,
}, async () => {
  await withTools(async (urls) => {
    for (const [wire, url] of Object.entries(urls)) {
      let interrupt = () => {};
      let notes = "";
      const place = {
        cwd: tmpdir(),
        onInterruptible: (by: () => void) => void (interrupt = by),
        onNote: (text: string) => void (notes += text),
      };
      const named = wire === "connect" ? ["--wire", wire] : [];
      const running = runHere(place, "call", url, "nap", ...named);
      await eventually(() => /Sleeping until \d{4}-.*\(the weekend\)\n/.test(notes));
      const [, token = ""] = /The answer is promised; the work continues as\n {2}(prom_\S+)\n/.exec(notes) ?? [];
      ok(token !== "", notes);
      interrupt();
      const { code, out, errors } = await running;
      deepStrictEqual([code, out], [130, ""], errors);
      const commands =
        `Detached; the work continues. Press Ctrl+C again to cancel it\n  toolwire redeem ${url} ${token}\n` +
        `  toolwire cancel ${url} ${token}\n`;
      ok(errors.endsWith(commands), errors);
      match((await run(wire, "redeem", url, token, "--status")).out, /^running, expires in \d+ s: .*Sleeping/, wire);
      strictEqual((await run(wire, "cancel", url, token)).out, "cancelled\n");
    }
  });
});

test("resources, prompts and completion are read by MCP, also beside another wire", LIMIT, async () => {
  await withTools(async ({ mcp = "", rest = "" }) => {
    for (const url of [mcp, rest]) {
      strictEqual((await run("", "read", url, "docs://guide")).out, "Read this.\n");
      strictEqual((await run("", "read", url, "docs://pages/intro")).out, "Welcome\n");
      strictEqual(
        (await run("", "prompt", url, "review", "code=x", "language=go")).out,
        "user:\nReview this go: x\n\n",
      );
      strictEqual((await run("", "complete", url, "review", "language", "r")).out, "rust\n");
      strictEqual((await run("", "complete", url, "docs://pages/{name}", "name", "in")).out, "intro\nindex\n");
      const { resources, resourceTemplates, prompts } = JSON.parse((await run("", "list", url, "--json")).out);
      deepStrictEqual([resources.length, resourceTemplates.length, prompts.length], [1, 1, 1]);
    }
  });
});

test(
  "list without a target lists the servers of hosts, without their secrets, and each is a target",
  LIMIT,
  async () => {
    await withTools(async ({ mcp = "" }) => {
      const home = mkdtempSync(join(tmpdir(), "toolwire-list-"));
      try {
        mkdirSync(join(home, ".cursor"));
        const servers = {
          tools: { url: `${mcp}?key=hidden`, headers: { authorization: "Bearer hidden" } },
          other: { command: "npx", args: ["--key=hidden"], env: { KEY: "hidden" } },
        };
        writeFileSync(join(home, ".cursor/mcp.json"), JSON.stringify({ mcpServers: servers }));
        const listed = await runHere({ cwd: home }, "list");
        deepStrictEqual(listed, { code: 0, out: `cursor:tools  ${mcp}\ncursor:other  npx\n`, errors: "" });
        const json = await runHere({ cwd: home }, "list", "--json");
        ok(!json.out.includes("hidden"), json.out);
        const { servers: [first] } = JSON.parse(json.out);
        strictEqual((await runHere({ cwd: home }, "call", first.target, "add", "a=1")).out, "1\n");
        match(
          (await runHere({ cwd: join(home, ".cursor"), env: { HOME: "/nowhere" } }, "list")).errors,
          /^No host has servers/,
        );
      } finally {
        rmSync(home, { recursive: true });
      }
    });
  },
);

test("arguments of standard input and files; words override them", LIMIT, async () => {
  await withTools(async ({ mcp = "" }) => {
    const piped = await runHere({ cwd: tmpdir(), input: '{"a": 1, "b": 1}' }, "call", mcp, "add", "--args", "-", "b=5");
    strictEqual(piped.out, "6\n", piped.errors);
  });
});

/** Rows of the table of wrong use. */
function readRows(file: string): readonly (readonly [command: string, code: number, words: string])[] {
  const page = readFileSync(new URL(file, import.meta.url), "utf8");
  return [...page.matchAll(/^\| `toolwire ([^`]+)` \| (\d+) \| `([^`]+)` \|$/gm)]
    .map(([, command = "", code, words = ""]) => [command, Number(code), words] as const);
}

test("each row of wrong_use.md ends with its code and words, also as JSON", LIMIT, async () => {
  await withTools(async ({ "mcp-lite": url = "" }) => {
    const address = url.replace("http://", "");
    const expired = await createExpired();
    const rows = readRows("wrong_use.md");
    const others = readRows("../../../docs/cli.md").filter((row) => !rows.some((known) => `${known}` === `${row}`));
    deepStrictEqual(others, []);
    ok(rows.length >= 40, `${rows.length} rows`);
    const wrong: string[] = [];
    for (const [row, code, words] of rows) {
      const adapt = (text: string) => text.replaceAll("localhost:8000", address).replace("EXPIRED", expired);
      const args = adapt(row).split(" ");
      const text = await runHere({ cwd: tmpdir() }, ...args);
      const isAsWritten = text.code === code && text.out === "" && text.errors.includes(adapt(words));
      if (!isAsWritten) wrong.push(`${row}: ${text.code} ${text.errors}`);
      if (/^(lst|stdio|pin)/.test(row)) continue;
      const json = await runHere({ cwd: tmpdir() }, ...args, "--json");
      const { error } = JSON.parse(json.errors);
      if (json.code !== code || !`${error.message} (${error.code})`.includes(adapt(words))) {
        wrong.push(`${row}: ${json.errors}`);
      }
    }
    deepStrictEqual(wrong, []);
  });
});

/** A token whose time is over: of another replica, with the same keys, two hours ago. */
async function createExpired(): Promise<string> {
  const server = createTools({ clock: { ...systemClock, now: () => systemClock.now() - 7_200_000 } });
  try {
    return (await createClient(server).$.start("job")).token;
  } finally {
    await server.close(0);
  }
}
