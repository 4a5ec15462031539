/** A test for each method of a contract, and each way in which it can fail, over a server of everything that has plug-ins. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { createFaulty, type Fault, type Faulty, FIRST, type MethodsOf, SECOND } from "./faulty.ts";
import { Observation } from "./observation.ts";
import { createUsed, type Options } from "./uses.ts";

/** How each method of a contract can fail: those that return nothing to wait for can only throw. */
export type Faults<Contract> = Readonly<Record<MethodsOf<Contract>, readonly Fault[]>>;

export const BOTH: readonly Fault[] = ["throws", "rejects"];
export const THROWS: readonly Fault[] = ["throws"];

/** Uses a server with a plug-in whose method fails at its call of that number in each use. Returns how often it has failed. */
async function assertHarmless<Contract>(
  call: number,
  seen: Observation,
  faulty: Faulty<Contract>,
  options: Options,
): Promise<number> {
  let failures = 0;
  const assertReported = (what: string) => {
    if (!faulty.hasFailed) return;
    failures++;
    strictEqual(seen.reported[0], FIRST, `${what}: the first that is reported is the first cause`);
    if (faulty.hasFailedAgain) ok(seen.reported.includes(SECOND), `${what}: the failure of the clean-up is reported`);
    seen.reported = [];
  };
  await seen.during(async () => {
    faulty.arm(call);
    const { server, uses, callOnce } = createUsed(seen, options);
    await seen.call("the creation", () => {});
    assertReported("the creation");
    for (const [what, use] of Object.entries(uses)) {
      faulty.arm(call);
      const thrown = await seen.call(what, use);
      if (failures === 0 && !faulty.hasFailed) strictEqual(thrown, undefined, `${what} works before the first failure`);
      assertReported(what);
      faulty.arm(0);
      strictEqual(await seen.call("the next call", callOnce), undefined, `the next call works after ${what}`);
    }
    faulty.arm(call);
    await seen.bounded("close()", () => server.close(0));
    assertReported("close()");
  });
  strictEqual(faulty.unreleased, 0, "no subscription and no lease is left");
  return failures;
}

/** Defines a test for each method and fault of a contract. */
export function testFaults<Contract extends object>(
  contract: string,
  faults: Faults<Contract>,
  cleanUps: readonly MethodsOf<Contract>[],
  create: (seen: Observation) => Contract,
  optionsOf: (plugIn: Contract) => Options,
): void {
  for (const [method, kinds] of Object.entries(faults) as [MethodsOf<Contract>, readonly Fault[]][]) {
    for (const kind of kinds) {
      const skip = runtime === "workerd" && "a request's timers are not another request's";
      test(`${contract}: ${String(method)}() ${kind}, and then the clean-up fails`, { skip }, async () => {
        const failures: number[] = [];
        for (const call of [1, 2]) {
          const seen = new Observation();
          const faulty = createFaulty<Contract>(create(seen), method, cleanUps, kind);
          failures.push(await assertHarmless(call, seen, faulty, optionsOf(faulty.plugIn)));
        }
        ok(failures[0] !== 0, `the method was called: it failed ${failures.join(", ")} times`);
      });
    }
  }
}
