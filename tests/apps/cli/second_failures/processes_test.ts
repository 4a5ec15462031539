/** Programs that commands start: starting fails, or their end does. Commands report the first cause, and hang on nothing. */
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { EventEmitter } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { DevSettings } from "../../../../apps/cli/dev/messages.ts";
import { DevSession } from "../../../../apps/cli/dev/dev_session.ts";
import { awaitChange } from "../../../../apps/cli/dev/failed_module.ts";
import { startWatcher } from "../../../../apps/cli/dev/watcher.ts";
import { openLink } from "../../../../apps/cli/terminal/open_link.ts";
import { runToEnd } from "../../../../apps/cli/terminal/run_to_end.ts";
import { FakeClock } from "../../../../src/testing/fake_clock.ts";
import { NO_REPLACING, withBuiltin } from "../../../faulty_builtin.ts";
import { FIRST, SECOND } from "../../../server/second_failures/faulty.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";

const skip = NO_REPLACING;

const fail = (message: string) => (): never => {
  throw new Error(message);
};

/** Runs work while no process can be started. */
const withoutProcesses = (work: () => Promise<void>) =>
  withBuiltin("node:child_process", () => ({ spawn: fail(FIRST) }), work);

test(
  "a program that cannot be started gives a result, a link that cannot be opened gives no result",
  { skip },
  async () => {
    await withoutProcesses(async () => {
      const status = await runToEnd("program", [], {});
      ok(status instanceof Error);
      strictEqual(status.message, FIRST);
      strictEqual(await openLink("https://example.com"), undefined);
      const settings = { module: "server.mjs" } as DevSettings;
      throws(() => startWatcher(settings, "/"), {
        name: "CliError",
        message: `The process that serves cannot run: ${FIRST}`,
      });
    });
  },
);

/** A process that serves, and does not end. */
class FakeProcess extends EventEmitter {
  readonly pid = 4_999_999;
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  isReferenced = true;

  unref(): void {
    this.isReferenced = false;
  }
}

test("toolwire dev ends, also if the process that serves cannot be ended", async () => {
  const { kill } = process;
  const { setTimeout } = globalThis;
  const child = new FakeProcess();
  const session = new DevSession({ folder: "/", terminal: {} as never, start: () => child as never });
  const signals: string[] = [];
  try {
    process.kill = (_pid, signal) => {
      signals.push(String(signal));
      return fail(SECOND)();
    };
    Object.assign(globalThis, { setTimeout: (callback: () => void) => setTimeout(callback, 0) });
    await session.run(AbortSignal.abort());
  } finally {
    process.kill = kill;
    Object.assign(globalThis, { setTimeout });
  }
  deepStrictEqual(signals, ["SIGTERM", "SIGKILL"]);
  deepStrictEqual([child.isReferenced, child.stdout.destroyed], [false, true]);
});

test("a folder that cannot be watched, with a file that cannot be read, ends no process", { skip }, async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "server.ts"), "");
  await withBuiltin("node:fs", () => ({ watch: fail(FIRST), statSync: fail(SECOND) }), () => {
    const clock = new FakeClock(0);
    let restarts = 0;
    const end = awaitChange(folder.path, 0, () => restarts++, clock);
    clock.tick(10_000);
    end();
    strictEqual(restarts, 0);
    return Promise.resolve();
  });
});
