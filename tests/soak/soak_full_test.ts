// The soak of replicas, small enough for every day: `npm run soak:replicas` is the long one.
import { deepStrictEqual, ok } from "node:assert/strict";
import { missingPrograms } from "../../examples/replicas/programs.ts";
import { type Found, testWith } from "../serve/programs.ts";
import { findFaults, formatReport } from "./report.ts";
import { runSoak } from "./soak.ts";

const missing = missingPrograms({ "redis-server": "redis-server", nginx: "nginx" });
const servers: Found = missing === undefined ? { path: "" } : { missing };

const OPTIONS = {
  seconds: 8,
  replicas: 3,
  workers: 1,
  users: 24,
  longestJobMs: 1_000,
  seed: 1,
  killEveryMs: 2_000,
  runtimes: ["bun"],
  changesKeys: true,
  engine: "redis",
} as const;

testWith(
  "three replicas behind nginx lose nothing while they are killed and change their keys",
  [servers],
  async () => {
    const report = await runSoak(OPTIONS, () => {});
    const text = formatReport(report);
    deepStrictEqual(findFaults(report), [], text);
    const { tally, kills } = report;
    ok(kills > 0, text);
    ok(tally.resolved > 0, text);
    ok(tally.redeemed > 0 && tally.redeemedAgain > 0 && tally.repeats > 0, text);
    ok(tally.elsewhere > tally.redeemed / 3, text);
  },
  300_000,
);
