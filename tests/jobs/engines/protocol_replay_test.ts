/** Replays traces of the protocol model against the engines of one process; protocol_replay_full_test.ts has the others. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/core/dispatch/engine.ts";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { runtime } from "../../runtime/runtime.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { type Bounds, explore, kindOf } from "./protocol_model.ts";
import { replayAll, ReplayEngine } from "./protocol_replay.ts";
import { chooseTraces, type TraceStep } from "./protocol_traces.ts";

const skip = runtime !== "bun" && "the protocol has no part for a runtime: once, under bun, is enough";
const SEED = 21;
const BOUNDS: readonly Bounds[] = [
  { jobs: 1, replicas: 2, kills: 1, lapses: 0, words: ["a"] },
  { jobs: 1, replicas: 2, kills: 0, lapses: 1, words: ["a"] },
];
const PATIENT = { skip, timeout: 120_000 };

for (const bounds of BOUNDS) {
  const name = `within ${JSON.stringify(bounds)}, seed ${SEED}`;
  let chosen: TraceStep[][] | undefined;
  const choose = () => (chosen ??= chooseTraces(bounds, SEED));

  test(`traces of the model have each kind of transition ${name}`, PATIENT, () => {
    const traces = choose();
    const kinds = traces.flatMap((trace) => trace.map(({ before, action }) => kindOf(before, action)));
    deepStrictEqual(new Set(kinds).size, explore(bounds).traces.length);
  });

  test(`the memory engine follows the model ${name}`, PATIENT, async () => {
    await replayAll(choose(), (clock) => new ReplayEngine(memoryEngine({ clock }), true));
  });

  test(`the SQLite engine follows the model ${name}`, PATIENT, async () => {
    await using folder = await temporaryFolder();
    const engine = sqliteEngine(join(folder.path, "jobs.db"), { pollMs: 20 });
    const shared = new ReplayEngine(engine, false);
    await replayAll(choose(), () => shared);
    await engine.close();
  });
}

/** Engines with a fault, and what the replay finds. */
const BROKEN: Readonly<Record<string, readonly [(engine: Engine) => Partial<Engine>, RegExp]>> = {
  "stores a change of an old version": [
    (engine) => ({ replace: async (job) => await engine.replace(job, (await engine.get(job.id))!.version) }),
    /differs from that of the model/,
  ],
  "loses deliveries while a lease is held": [(engine) => loseWhileHeld(engine), /does not deliver the job/],
  "delivers before the delay is over": [
    (engine) => ({ schedule: (id) => engine.schedule(id, 0) }),
    /delivered a job that was not due/,
  ],
  "delivers twice": [
    (engine) => ({
      work: (run, options) => engine.work(async (id) => void await Promise.all([run(id), run(id)]), options),
    }),
    /delivered a job/,
  ],
};

function loseWhileHeld(engine: Engine): Partial<Engine> {
  let held = 0;
  return {
    schedule: (id, delayMs) => held > 0 && delayMs === 0 ? undefined : engine.schedule(id, delayMs),
    work: (run, options) =>
      engine.work(async (id) => {
        held++;
        await run(id);
        held--;
      }, options),
  };
}

for (const [what, [faultOf, found]] of Object.entries(BROKEN)) {
  test(`the replay finds an engine that ${what}`, PATIENT, async () => {
    await rejects(
      replayAll(chooseTraces(BOUNDS[0]!, SEED), (clock) => {
        const engine = memoryEngine({ clock });
        return new ReplayEngine({ ...engine, ...faultOf(engine) }, true);
      }, 100),
      found,
    );
  });
}
