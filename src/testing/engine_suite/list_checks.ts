/** Checks of lists: order, pages and filters. An engine without `list()`, which is optional, needs the option `hasList: false`. */
import type { Engine, Job, JobFilter } from "../../core/dispatch/engine.ts";
import { type Bench, type ContractCheck, withTwo } from "./bench.ts";
import { changed, expect, expectEqual, insertAll, newJob } from "./fixture.ts";

/** Checks of `list()`: the order, filters, pages and cursors of ids. Skipped with `hasList: false`. */
export const LIST_CHECKS: readonly ContractCheck[] = [
  withLists("list() returns the jobs of all processes, the latest first, each on one page", async (one, other) => {
    // Several of the same millisecond, and inserted in another order.
    const jobs = Array.from({ length: 25 }, (_, n) => newJob({ createdAtMs: START_MS + Math.floor(n / 3) }));
    await insertAll(one, jobs.filter((_, n) => n % 2 === 0));
    await insertAll(other, jobs.filter((_, n) => n % 2 === 1).reverse());
    const listed = await listAll(other, {}, 4);
    expectEqual(listed.toSorted(), idsOf(jobs).toSorted(), "ids of all pages");
    const times = listed.map((id) => jobs.find((job) => job.id === id)?.createdAtMs ?? 0);
    expectEqual(times, times.toSorted((a, b) => b - a), "times of creation, in the order of the list");
    expectEqual(await listAll(one, {}, 100), listed, "list() with a larger limit in another process");
    expectEqual(await listAll(one, {}, 1), listed, "list() with a limit of 1");
  }),

  withLists("list() filters by state, tool, principal, tenant and time of creation", async (one, other) => {
    const ada = { principal: { id: "ada", scopes: ["read"] } };
    const [a, b, c, d] = [
      newJob({ createdAtMs: START_MS + 4, principal: { ...ada.principal, tenant: "north" } }),
      newJob({ createdAtMs: START_MS + 3, tool: "report", state: "done", ...ada }),
      newJob({ createdAtMs: START_MS + 2, tool: "report", state: "asking" }),
      newJob({ createdAtMs: START_MS + 1, principal: { id: "bob", scopes: [] } }),
    ] as const;
    await insertAll(one, [a, b, c, d]);
    const cases: readonly (readonly [JobFilter, readonly Job[]])[] = [
      [{}, [a, b, c, d]],
      [{ states: ["done", "asking"] }, [b, c]],
      [{ states: [] }, []],
      [{ tool: "report" }, [b, c]],
      [{ tool: "rep" }, []],
      [{ principal: "ada" }, [a, b]],
      [{ principal: "" }, [c]],
      [{ tenant: "north" }, [a]],
      [{ tenant: "" }, [b, c, d]],
      [{ tenant: "", principal: "ada" }, [b]],
      [{ createdBeforeMs: START_MS + 3 }, [c, d]],
      [{ createdFromMs: START_MS + 3 }, [a, b]],
      [{ createdFromMs: START_MS + 2, createdBeforeMs: START_MS + 4, principal: "ada" }, [b]],
      [{ tool: "report", states: ["queued"], principal: "ada" }, []],
    ];
    for (const [filter, jobs] of cases) {
      expectEqual(await listAll(other, filter, 2), idsOf(jobs), `list() with ${JSON.stringify(filter)}`);
    }
  }),

  withLists("list() has the changed state, and no removed or expired job", async (one, other, { wait }) => {
    const expiresAtMs = Date.now() + 150;
    const [kept, removed, expired] = [newJob(), newJob(), newJob({ expiresAtMs })] as const;
    await insertAll(one, [kept, removed, expired]);
    expectEqual(await one.replace(changed(kept, { state: "running", attempt: 1 }), 1), true, "replace()");
    await one.remove(removed.id);
    await wait("it has expired", () => Date.now() > expiresAtMs + 20);
    expectEqual(await listAll(other, { states: ["running"] }, 10), [kept.id], "list() by the changed state");
    expectEqual(await listAll(other, {}, 10), [kept.id], "list() after the removal and the expiry");
    expectEqual(await other.insert(newJob({ id: expired.id, createdAtMs: START_MS })), true, "insert() of its id");
    expectEqual(await listAll(one, {}, 10), [kept.id, expired.id], "list() with a new job of an expired one's id");
  }),

  withLists("list() continues at the cursor although jobs are added and removed", async (one, other) => {
    const jobs = Array.from({ length: 6 }, (_, n) => newJob({ createdAtMs: START_MS + 10 - n }));
    await insertAll(one, jobs);
    const { ids, cursor } = await one.list({}, 2);
    expectEqual(ids, idsOf(jobs.slice(0, 2)), "ids of the first page");
    expect(cursor !== undefined, "The first page of several has no cursor");
    // The job at the cursor is removed, and a newer one is added.
    await one.remove(jobs[1]!.id);
    await insertAll(one, [newJob({ createdAtMs: START_MS + 11 })]);
    expectEqual(await listAll(other, {}, 3, cursor), idsOf(jobs.slice(2)), "ids of the other pages");
  }),

  withLists("list() finds the few jobs among 700 that meet a filter", async (one, other) => {
    const crowd = Array.from({ length: 700 }, (_, n) => newJob({ createdAtMs: START_MS + n, args: {} }));
    const few = [0, 350, 699].map((n) => newJob({ createdAtMs: START_MS + n, tool: "rare", args: {} }));
    const jobs = [...crowd, ...few];
    for (let at = 0; at < jobs.length; at += 250) {
      await Promise.all(jobs.slice(at, at + 250).map((job) => one.insert(job)));
    }
    expectEqual(await listAll(other, { tool: "rare" }, 100), idsOf(few).reverse(), "ids of the pages");
  }),

  withLists("list() refuses a cursor that it did not return", async (one) => {
    for (const cursor of ["", "x", "0:1", "\u0000", "9".repeat(300)]) {
      const refused = await rejectionOf(async () => await one.list({}, 10, cursor));
      expectEqual(Object(refused).code, "invalid_request", `code for the cursor ${JSON.stringify(cursor)}`);
    }
  }),
];

/** A time of creation: any that is not now. */
const START_MS = 1_700_000_000_000;

/** Number of pages after which a check fails. */
const MAX_PAGES = 1_000;

/** An engine that can list its jobs. */
type ListingEngine = Engine & Required<Pick<Engine, "list">>;

function withLists(
  title: string,
  run: (one: ListingEngine, other: ListingEngine, bench: Bench) => Promise<void>,
): ContractCheck {
  const check = withTwo(title, async (one, other, bench) => {
    if (canList(one) && canList(other)) return await run(one, other, bench);
    throw new Error(`The engine "${one.name}" has no list(), which is optional; pass hasList: false to engineSuite()`);
  });
  return { ...check, needsList: true };
}

function canList(engine: Engine): engine is ListingEngine {
  return engine.list !== undefined;
}

/** Reads all pages from a cursor on. */
async function listAll(engine: ListingEngine, filter: JobFilter, limit: number, from?: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = from;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await engine.list(filter, limit, cursor);
    expect(page.ids.length <= limit, `A page has ${page.ids.length} ids, with a limit of ${limit}`);
    ids.push(...page.ids);
    cursor = page.cursor;
    if (cursor === undefined) return ids;
  }
  throw new Error(`The list has more than ${MAX_PAGES} pages`);
}

async function rejectionOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}

function idsOf(jobs: readonly Job[]): string[] {
  return jobs.map(({ id }) => id);
}
