/** Tests of lists: order, pages and filters. Left out for engines without `list`. */
import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { describe } from "node:test";
import type { Engine, Job, JobFilter } from "../../src/engine/engine.ts";
import { changed, insertAll, newJob } from "./fixture.ts";
import type { EngineChecks } from "./suite_checks.ts";

/** Lists follow the contract. */
export function checkLists({ name, checkTwo, wait }: EngineChecks): void {
  const checkList = (title: string, run: (one: Listing, other: Listing) => Promise<void>) => {
    checkTwo(title, async (one, other) => {
      if (canList(one) && canList(other)) await run(one, other);
    });
  };

  describe(`engine ${name}: lists`, () => {
    checkList("list() has the jobs of all processes, the latest first, each on one page", async (one, other) => {
      // Several of the same millisecond, and inserted in another order.
      const jobs = Array.from({ length: 25 }, (_, n) => newJob({ createdAtMs: START_MS + Math.floor(n / 3) }));
      await insertAll(one, jobs.filter((_, n) => n % 2 === 0));
      await insertAll(other, jobs.filter((_, n) => n % 2 === 1).reverse());
      const listed = await listAll(other, {}, 4);
      deepStrictEqual(listed.toSorted(), idsOf(jobs).toSorted());
      deepStrictEqual(timesOf(listed, jobs), timesOf(listed, jobs).toSorted((a, b) => b - a));
      deepStrictEqual(await listAll(one, {}, 100), listed);
      deepStrictEqual(await listAll(one, {}, 1), listed);
    });

    checkList("list() filters by state, tool, principal and time of creation", async (one, other) => {
      const ada = { principal: { id: "ada", scopes: ["read"] } };
      const [a, b, c, d] = [
        newJob({ createdAtMs: START_MS + 4, ...ada }),
        newJob({ createdAtMs: START_MS + 3, tool: "report", state: "done", ...ada }),
        newJob({ createdAtMs: START_MS + 2, tool: "report", state: "asking" }),
        newJob({ createdAtMs: START_MS + 1, principal: { id: "bob", scopes: [] } }),
      ] as const;
      await insertAll(one, [a, b, c, d]);
      const check = async (filter: JobFilter, expected: readonly Job[]): Promise<void> => {
        deepStrictEqual(await listAll(other, filter, 2), idsOf(expected), JSON.stringify(filter));
      };
      await check({}, [a, b, c, d]);
      await check({ states: ["done", "asking"] }, [b, c]);
      await check({ states: [] }, []);
      await check({ tool: "report" }, [b, c]);
      await check({ tool: "rep" }, []);
      await check({ principal: "ada" }, [a, b]);
      await check({ principal: "" }, [c]);
      await check({ createdBeforeMs: START_MS + 3 }, [c, d]);
      await check({ createdFromMs: START_MS + 3 }, [a, b]);
      await check({ createdFromMs: START_MS + 2, createdBeforeMs: START_MS + 4, principal: "ada" }, [b]);
      await check({ tool: "report", states: ["queued"], principal: "ada" }, []);
    });

    checkList("list() knows the state after a change, and no removed or expired job", async (one, other) => {
      const expiresAtMs = Date.now() + 150;
      const [kept, removed, expired] = [newJob(), newJob(), newJob({ expiresAtMs })] as const;
      await insertAll(one, [kept, removed, expired]);
      strictEqual(await one.replace(changed(kept, { state: "running", attempt: 1 }), 1), true);
      await one.remove(removed.id);
      await wait("it has expired", () => Date.now() > expiresAtMs + 20);
      deepStrictEqual(await listAll(other, { states: ["running"] }, 10), [kept.id]);
      deepStrictEqual(await listAll(other, {}, 10), [kept.id]);
      strictEqual(await other.insert(newJob({ id: expired.id, createdAtMs: START_MS })), true);
      deepStrictEqual(await listAll(one, {}, 10), [kept.id, expired.id], "the new job with its id is listed once");
    });

    checkList("list() continues below the cursor although jobs come and go", async (one, other) => {
      const jobs = Array.from({ length: 6 }, (_, n) => newJob({ createdAtMs: START_MS + 10 - n }));
      await insertAll(one, jobs);
      const first = await one.list({}, 2);
      deepStrictEqual(first.ids, idsOf(jobs.slice(0, 2)));
      // The job at the cursor is removed, and a newer one is added.
      await one.remove(jobs[1]!.id);
      await insertAll(one, [newJob({ createdAtMs: START_MS + 11 })]);
      notStrictEqual(first.cursor, undefined);
      deepStrictEqual(await listAll(other, {}, 3, first.cursor), idsOf(jobs.slice(2)));
    });

    checkList("list() finds the few that meet a filter among 700 jobs", async (one, other) => {
      const crowd = Array.from({ length: 700 }, (_, n) => newJob({ createdAtMs: START_MS + n, args: {} }));
      const few = [0, 350, 699].map((n) => newJob({ createdAtMs: START_MS + n, tool: "rare", args: {} }));
      const jobs = [...crowd, ...few];
      for (let at = 0; at < jobs.length; at += 250) {
        await Promise.all(jobs.slice(at, at + 250).map((job) => one.insert(job)));
      }
      deepStrictEqual(await listAll(other, { tool: "rare" }, 100), idsOf(few).reverse());
    });

    checkList("list() refuses a cursor that is not one of its own", async (one) => {
      for (const cursor of ["", "x", "0:1", "\u0000", "9".repeat(300)]) {
        await rejects(async () => await one.list({}, 10, cursor), { code: "invalid_request" }, cursor);
      }
    });
  });
}

/** A time of creation: any that is not now. */
const START_MS = 1_700_000_000_000;

/** Number of pages after which a test gives up. */
const MAX_PAGES = 1_000;

type Listing = Engine & Required<Pick<Engine, "list">>;

function canList(engine: Engine): engine is Listing {
  return engine.list !== undefined;
}

/** Reads all pages from a cursor on. */
async function listAll(engine: Listing, filter: JobFilter, limit: number, from?: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = from;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await engine.list(filter, limit, cursor);
    ok(page.ids.length <= limit, "a page has no more ids than the limit");
    ids.push(...page.ids);
    cursor = page.cursor;
    if (cursor === undefined) return ids;
  }
  throw new Error(`The list has more than ${MAX_PAGES} pages`);
}

function idsOf(jobs: readonly Job[]): string[] {
  return jobs.map(({ id }) => id);
}

function timesOf(ids: readonly string[], jobs: readonly Job[]): number[] {
  return ids.map((id) => jobs.find((job) => job.id === id)?.createdAtMs ?? Number.NaN);
}
