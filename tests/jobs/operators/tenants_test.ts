/** Operators of one tenant see and change the jobs of that tenant alone; those without a tenant see all, and may filter them. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { after, test } from "node:test";
import { createClient, createServer, defineTool, memoryEngine, memoryTransport, type Principal } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { eventually } from "../../eventually.ts";
import { jobsOf, jobTools } from "../../../src/entries/jobs.ts";

const closers: (() => Promise<void>)[] = [];
after(() => Promise.all(closers.map((close) => close())));

const CALLERS = [{ id: "ada", tenant: "north" }, { id: "ada", tenant: "south" }, { id: "ada" }] as const;

async function open(engine: Engine = memoryEngine()) {
  const gate = Promise.withResolvers<string>();
  const wait = defineTool("wait").describe("Wait").promise().handle(() => gate.promise);
  const fails = defineTool("fails").describe("Fail").promise({ retries: 0, keepFailed: true }).handle(() => {
    throw new Error("no luck");
  });
  const server = createServer({ tools: [wait, fails, ...jobTools()], engine, logger: false });
  closers.push(() => server.close(0));
  const as = (principal: Principal) => createClient<typeof server>(memoryTransport(server, { principal }));
  for (const principal of CALLERS) await as(principal).wait.start({});
  const ids = new Map<string, string>();
  for (const { id, tenant = "" } of (await jobsOf(server).list()).jobs) ids.set(tenant, id);
  const operator = (tenant?: string) => as({ id: "ops", ...(tenant !== undefined && { tenant }), scopes: ["jobs"] });
  return { server, gate, as, ids, operator };
}

const tenantsOf = (list: { readonly jobs: readonly { readonly tenant?: string }[] }) =>
  list.jobs.map(({ tenant = "" }) => tenant).sort();

/** An engine of an author who knows no tenants: its list ignores that condition. */
function withoutTenants(): Engine {
  const engine = memoryEngine();
  return { ...engine, processId: "1", list: ({ tenant: _, ...filter }, ...more) => engine.list!(filter, ...more) };
}

for (
  const [name, create] of [["an engine", memoryEngine], ["an engine that knows no tenants", withoutTenants]] as const
) {
  test(`an operator of a tenant lists its jobs alone, over ${name}`, async () => {
    const { operator } = await open(create());
    deepStrictEqual(tenantsOf(await operator("north").list_jobs({})), ["north"]);
    deepStrictEqual(tenantsOf(await operator("west").list_jobs({})), []);
    deepStrictEqual(tenantsOf(await operator().list_jobs({})), ["", "north", "south"]);
  });
}

test("an operator without a tenant filters by tenant, and by caller", async () => {
  const { server } = await open();
  const jobs = jobsOf(server);
  deepStrictEqual(tenantsOf(await jobs.list({ tenant: "south" })), ["south"]);
  deepStrictEqual(tenantsOf(await jobs.list({ tenant: "" })), [""]);
  deepStrictEqual(tenantsOf(await jobs.list({ principal: "ada" })), ["", "north", "south"]);
  deepStrictEqual(tenantsOf(await jobs.list({ principal: "ada", tenant: "north" })), ["north"]);
});

test("to an operator of another tenant a job is not there, whatever is done with it", async () => {
  const { operator, ids, server } = await open();
  const id = ids.get("north") ?? "";
  const south = operator("south");
  const missing = { code: "invalid_request", message: /^There is no job/ };
  await rejects(() => south.inspect_job({ id }), missing);
  await rejects(() => south.cancel_job({ id }), missing);
  await rejects(() => south.retry_job({ id }), missing);
  await rejects(() => south.list_jobs({ tenant: "north" }), {
    code: "invalid_request",
    message: /operator of another/,
  });
  await rejects(() => south.purge_jobs({ tenant: "north" }), {
    code: "invalid_request",
    message: /operator of another/,
  });
  strictEqual((await jobsOf(server).inspect(id)).state === "cancelled", false);
  strictEqual((await operator("north").cancel_job({ id })).state, "cancelled");
});

test("a purge by an operator of a tenant leaves what is of other tenants", async () => {
  const { operator, server, ids, gate } = await open();
  const jobs = jobsOf(server);
  for (const id of ids.values()) await jobs.cancel(id);
  // The handlers do not look at their signals: they are left to end.
  gate.resolve("late");
  await eventually(async () => (await jobs.list()).jobs.every(({ state }) => state === "cancelled"));
  deepStrictEqual(await operator("north").purge_jobs({ all: true }), { purged: 1, isComplete: true });
  deepStrictEqual(tenantsOf(await jobs.list()), ["", "south"]);
});
