/**
 * Boundaries to the system: modules that write files, start processes or set timers, as found in the code. Each is named in a test in which
 * its calls fail, or end late, and then its clean-up does; or it has nothing to clean up, for a reason that is checked here.
 */
import { deepStrictEqual, match, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as house from "../../scripts/house.mjs";

interface Source {
  readonly path: string;
  readonly text: string;
}

const { readSources } = house as { readonly readSources: () => readonly Source[] };

/** Functions of `node:fs` that leave nothing behind. */
const READS = /^(?:constants|existsSync|lstatSync|readdir|readdirSync|readFile|readFileSync|realpathSync|statSync)$/;

/** Values that a module imports from another one: types are left out. */
function importsOf(text: string, specifier: string): readonly string[] {
  const statements = text.matchAll(new RegExp(`^import (?!type )(\\{[^}]*\\}|.*?) from "${specifier}"`, "gm"));
  return [...statements].flatMap(([, names = ""]) => names.replace(/[{}]/g, "").split(",").map((name) => name.trim()))
    .filter((name) => name !== "" && !name.startsWith("type "));
}

const writesFiles = (text: string): boolean =>
  ["node:fs", "node:fs/promises"].some((module) => importsOf(text, module).some((name) => !READS.test(name))) ||
  /\b(?:Deno\.(?:create|make|mkdir|open|remove|rename|write)|Bun\.(?:file|write))/.test(text);

/** Synchronous functions wait for the end of the process. */
const startsProcesses = (text: string): boolean =>
  importsOf(text, "node:child_process").some((name) => !name.endsWith("Sync")) ||
  /\b(?:Deno\.Command|Bun\.spawn)\b|"node:(?:cluster|worker_threads)"/.test(text);

/** A pause, which ends by itself: `new Promise((resolve) => setTimeout(resolve, 10))`. */
const PAUSE = /\((\w+)\) => (?:void )?(?:[\w.#]*\.after\([^()]*, \1\)|setTimeout\(\1, [^()]*\))/g;

/** A timer that a `finally` clears. */
const CLEARED =
  /\b(?:const )?(\w+)(?: =| \?\?=) (?:setTimeout|[\w.]*clock\.after)\((?=[^]*?finally \{[^}]*\b(?:clearTimeout\(\1\)|\1\(\)))/g;

const setsTimers = (text: string): boolean =>
  /\b(?:setTimeout|setInterval|[cC]lock\.after)\(/.test(text.replace(PAUSE, "").replace(CLEARED, ""));

const FILES = "tests/apps/cli/second_failures/files_test.ts";
const CLOSING = "tests/apps/cli/second_failures/closing_full_test.ts";
const PROCESSES = "tests/apps/cli/second_failures/processes_test.ts";
const STDIO = "tests/wires/mcp/stdio/second_failures_test.ts";
const SINGLE_TIMERS = "tests/internal/single_timers_test.ts";
const CLEARED_TIMERS = "tests/internal/cleared_timers_test.ts";
const SHARED_TIMERS = "tests/internal/shared_timers_test.ts";
const FIRST_CAUSE = "tests/server/second_failures/first_cause_test.ts";
const CONNECTIONS = "tests/server/second_failures/connections_test.ts";
const CLIENT_SOCKET = "tests/server/second_failures/client_socket_test.ts";

/** The test in which a module fails, and a word of the test that names it. */
type Tested = Readonly<Record<string, readonly [test: string, word: string]>>;

const TABLES: Readonly<Record<string, { readonly finds: (text: string) => boolean; readonly tested: Tested }>> = {
  "writes files": {
    finds: writesFiles,
    tested: {
      "apps/cli/dev/failed_module.ts": [PROCESSES, "awaitChange"],
      "apps/cli/files/lock.ts": [FILES, "lock"],
      "apps/cli/files/write_file.ts": [FILES, "writeFile"],
      "src/integrations/packaging/list_packed_tools.ts": [CLOSING, "listPackedTools"],
    },
  },
  "starts processes": {
    finds: startsProcesses,
    tested: {
      "apps/cli/dev/watcher.ts": [PROCESSES, "startWatcher"],
      "apps/cli/terminal/open_link.ts": [PROCESSES, "openLink"],
      "apps/cli/terminal/run_to_end.ts": [PROCESSES, "runToEnd"],
      "src/sandbox/quickjs/runtime/thread.ts": ["tests/server/code_mode/broken_executors_test.ts", "createThread"],
      "src/wires/mcp/stdio/client/transport.ts": [STDIO, "stdioTransport"],
    },
  },
  "sets timers": {
    finds: setsTimers,
    tested: {
      "apps/cli/doctor/network_steps.ts": ["tests/apps/cli/doctor/silent_peers_full_test.ts", "doctor"],
      "apps/cli/doctor/probe.ts": ["tests/apps/cli/doctor/silent_peers_full_test.ts", "doctor"],
      "apps/cli/terminal/status_line.ts": [CLEARED_TIMERS, "StatusLine"],
      "src/client/running_call.ts": [CLEARED_TIMERS, "createClient"],
      "src/console/feed.ts": [CLEARED_TIMERS, "feed"],
      "src/core/dispatch/dispatcher.ts": [CLEARED_TIMERS, "grace"],
      "src/jobs/engines/durable_object/engine.ts": [CLEARED_TIMERS, "DurableObjectEngine"],
      "src/wires/mcp/stdio/server/serve_lines.ts": [CLEARED_TIMERS, "serveLines"],
      "apps/cli/dev/dev_session.ts": [PROCESSES, "DevSession"],
      "apps/cli/dev/failed_module.ts": [PROCESSES, "awaitChange"],
      "apps/cli/files/lock.ts": [FILES, "lock"],
      "src/jobs/schedules/scheduler.ts": [
        "tests/jobs/schedules/schedules_test.ts",
        "an engine that is away",
      ],
      "src/jobs/engines/bullmq/engine.ts": ["tests/jobs/engines/bullmq_outage_full_test.ts", "bullmq"],
      "src/jobs/engines/memory/due_queue.ts": [SHARED_TIMERS, "DueQueue"],
      "src/jobs/engines/redis/channels.ts": ["tests/jobs/engines/redis_channels_test.ts", "a connection of channels"],
      "src/jobs/engines/sqlite/engine.ts": ["tests/jobs/engines/sqlite_full_disk_test.ts", "rollback"],
      "src/jobs/engines/sqlite/lock_waits.ts": ["tests/jobs/engines/sqlite_lock_test.ts", "waits for the lock"],
      "src/integrations/middleware/timeout.ts": [SINGLE_TIMERS, "timeout"],
      "src/internal/throttle.ts": [SINGLE_TIMERS, "Throttle"],
      "src/jobs/promises/missing_worker_warning.ts": [SINGLE_TIMERS, "MissingWorkerWarning"],
      "src/wires/mcp/server/legacy_exchange.ts": [SINGLE_TIMERS, "PendingRequests"],
      "src/internal/deadlines.ts": [SHARED_TIMERS, "Deadlines"],
      "src/internal/pending_list.ts": [SHARED_TIMERS, "PendingList"],
      "src/testing/replica.ts": [FIRST_CAUSE, "simulateReplicas"],
      "src/wires/mcp/stdio/client/process_connection.ts": [STDIO, "stdioTransport"],
      "src/wires/mcp_lite/websocket/client/open_calls.ts": [CLIENT_SOCKET, "webSocketTransport"],
      "src/wires/mcp_lite/websocket/client/socket_client.ts": [CLIENT_SOCKET, "webSocketTransport"],
      "src/wires/mcp_lite/websocket/server/socket_connection.ts": [CONNECTIONS, "FramePort"],
    },
  },
};

/**
 * Timers whose callbacks cannot fail, and are cleared, which a test reads below: they settle a promise, destroy a socket of this process or
 * keep it alive. Those of `time.ts` call what its callers give, which are in the table.
 */
const CLEARING = `
  apps/cli/dev/child.ts src/core/dispatch/questions/replay_check.ts src/internal/time.ts src/jobs/engines/durable_object/shard.ts
  src/runtime/node.ts src/runtime/node_streams.ts src/runtime/one_port.ts src/wires/mcp/server/tasks.ts
`.trim().split(/\s+/);

/** A call that clears a timer. */
const CLEARS = /\bclear(?:Timeout|Interval)\(|\bcancel(?:\?\.)?\(|\.#(?:cancel|stop\w*)(?:\?\.)?\(/;

/** Text without comments: examples name modules, too. */
const codeOf = (text: string): string => text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");

/** The page of the console is generated, and runs in a browser. */
const SOURCES = readSources().filter(({ path }) => path !== "src/console/page.ts");

const clears = (path: string): boolean => CLEARING.includes(path);

test("the timers of the other modules are cleared", () => {
  for (const path of CLEARING) {
    const { text = "" } = SOURCES.find((source) => source.path === path) ?? {};
    ok(setsTimers(codeOf(text)), `${path} sets no timer any more: remove it from the list`);
    match(codeOf(text), CLEARS, path);
  }
});

for (const [what, { finds, tested }] of Object.entries(TABLES)) {
  test(`each module that ${what} is named in a test of its second failures`, () => {
    const found = SOURCES.filter(({ path, text }) => finds(codeOf(text)) && !(what === "sets timers" && clears(path)));
    deepStrictEqual(
      found.map(({ path }) => path).sort(),
      Object.keys(tested).sort(),
      "Name it in tests/arch/system_boundaries_test.ts, with a test in which its calls fail, and then its clean-up",
    );
  });

  for (const [path, [file, word]] of Object.entries(tested)) {
    test(`the failures of ${path} are tested where the table says`, () => {
      match(readFileSync(file, "utf8"), new RegExp(`\\b${word}\\b`, "i"));
    });
  }
}

/** What a `finally` closes: an error of it would replace the first cause. */
const CLOSED_IN_FINALLY =
  /finally \{[^}]*?((?:await )?[\w.$#]*?\b(?:close|end|kill|release|rmSync|stop|terminate|unlinkSync)(?:\?\.)?\([^)]*\))/g;

/** Calls that cannot throw, and why. */
const NEVER_THROWS: Readonly<Record<string, string>> = {
  "await connection.close()": "notingClose() writes its error on standard error",
  "await opened.close()": "notingClose() writes its error on standard error",
  "context.terminal.status.end()": "it clears a line",
  "pause.end()": "it settles a promise",
  "this.#leases.release(lease)": "its rejection is reported",
  "this.#replay.end(hasFailed)": "it sets members",
  "this.release()": "it sets members",
};

test("no `finally` closes what may fail: `releasing()` keeps the first error", () => {
  const found = SOURCES.flatMap(({ path, text }) =>
    [...codeOf(text).matchAll(CLOSED_IN_FINALLY)].map(([, call = ""]) => `${path}: ${call}`)
  ).filter((line) => !Object.keys(NEVER_THROWS).some((call) => line.endsWith(`${call}`)));
  deepStrictEqual(found, []);
});
