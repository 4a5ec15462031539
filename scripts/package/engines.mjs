// Holds the engines of the installed package to its public suite, with imports of the package alone.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleWorker } from "./bundle_worker.mjs";

/** Leases short enough for the checks of lapsed leases. */
const LEASE_MS = 1_500;
/** Checks that run at once: most of their time they wait. */
const AT_ONCE = 6;
/** A suite with fewer checks has lost some. */
const FEWEST_CHECKS = 25;

/** Sources of the engines in a process: `open()` opens an empty one, and `reopen()` another over the same jobs. */
const ENGINES = {
  memory: {
    code: `
import { memoryEngine } from "toolwire/engines";
const create = () => () => memoryEngine();
const options = {};
const canReopen = false;`,
  },
  sqlite: {
    code: `
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { sqliteEngine } from "toolwire/engines/sqlite";
const create = () => {
  const path = join(mkdtempSync(join(import.meta.dirname, "jobs-")), "jobs.db");
  return () => sqliteEngine(path, { leaseMs: ${LEASE_MS}, pollMs: 20 });
};
const options = { leaseMs: ${LEASE_MS} };
const canReopen = true;`,
  },
  redis: { store: "redis", code: bullmq("redis") },
  postgres: { store: "postgres", code: bullmq("postgres") },
};

function bullmq(store) {
  return `
import { bullmqEngine } from "toolwire/engines/bullmq";
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const create = () => {
  const name = "suite-" + crypto.randomUUID();
  return () => bullmqEngine({ ${store}: process.env.STORE_URL, name, leaseMs: ${LEASE_MS}, logger });
};
const options = { leaseMs: ${LEASE_MS} };
const canReopen = true;
// The first engine creates tables, which the time limits of the checks are not for.
const first = bullmqEngine({ ${store}: process.env.STORE_URL, timeoutMs: 60_000 });
await first.get("");
await first.close();`;
}

/** Names of the engines, and the store that each needs. */
export const engineStores = Object.entries(ENGINES).map((
  [name, { store }],
) => ({ name, store }));

/** A script that runs the suite over an engine, and prints the number of its checks. */
export function suiteScript(name) {
  return `${ENGINES[name].code}
import { engineSuite } from "toolwire/testing";

const checks = engineSuite(async () => {
  const open = create();
  const engines = [open()];
  return {
    engine: engines[0],
    ...(canReopen && { reopen: async () => engines[engines.push(open()) - 1] }),
    close: async () => {
      for (const engine of engines) await engine.close();
    },
  };
}, options).filter(({ skip }) => skip === undefined);
if (checks.length < ${FEWEST_CHECKS}) throw new Error(checks.length + " checks");
const failures = [];
const waiting = checks.slice();
await Promise.all(Array.from({ length: ${AT_ONCE} }, async () => {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { name } = check;
    await check.run().catch((error) => failures.push(name + ": " + error));
  }
}));
if (failures.length > 0) throw new Error(failures.join("\\n"));
console.log(checks.length + " checks, done");
process.exit(0);
`;
}

/**
 * Writes a Worker with one class of objects for each check of the suite, and the configuration of workerd that runs them as a test. An
 * object is the only process of its jobs.
 */
export async function writeObjectSuite(consumer, folder) {
  mkdirSync(folder);
  // Each index without a check is an object that is never asked.
  const indexes = Array.from({ length: 100 }, (_, index) => index);
  const contents = `
    import { durableObjects } from "toolwire/engines/durable-object";
    import { engineSuite } from "toolwire/testing";

    const options = { leaseMs: ${LEASE_MS} };
    function classOf(index) {
      let engine;
      const { Shard } = durableObjects({
        namespace: (env) => env["JOBS" + index],
        server: (opened) => ({ work: () => void (engine = opened) }),
        name: "check" + index,
        shards: 1,
        leaseMs: ${LEASE_MS},
      });
      return class extends Shard {
        async fetch() {
          const check = engineSuite(async () => ({ engine, close: async () => await engine.close() }), options)[index];
          return Response.json(await check.run().then(() => null, (error) => check.name + ": " + error));
        }
      };
    }
    ${
    indexes.map((index) => `export const Jobs${index} = classOf(${index});`)
      .join("\n    ")
  }

    export default {
      async test(_, env) {
        const checks = engineSuite(() => Promise.reject(new Error("only named")), options);
        if (checks.length < ${FEWEST_CHECKS} || checks.length > ${indexes.length}) throw new Error(checks.length + " checks");
        // The object is the only process that runs jobs; its Workers have them, too.
        const isRun = ({ name, skip }) => skip === undefined && !name.startsWith("processes: processId");
        const indexes = [...checks.keys()].filter((index) => isRun(checks[index]));
        const failures = [];
        await Promise.all(Array.from({ length: ${AT_ONCE} }, async () => {
          for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) {
            const objects = env["JOBS" + index];
            const response = await objects.get(objects.idFromName("check" + index + "/1/0")).fetch("http://object/check");
            const failure = await response.json();
            if (failure !== null) failures.push(failure);
          }
        }));
        if (failures.length > 0) throw new Error(failures.join("\\n"));
      },
    };`;
  await bundleWorker({ contents, resolveDir: consumer }, join(folder, "suite.js"));
  const namespaces = indexes.map((index) =>
    `(className = "Jobs${index}", uniqueKey = "jobs${index}", enableSql = true)`
  );
  const bindings = indexes.map((index) => `(name = "JOBS${index}", durableObjectNamespace = "Jobs${index}")`);
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "test", worker = (
    compatibilityDate = "2026-08-04",
    modules = [(name = "suite.js", esModule = embed "suite.js")],
    durableObjectNamespaces = [${namespaces.join(", ")}],
    durableObjectStorage = (localDisk = "disk"),
    bindings = [${bindings.join(", ")}],
  )),
  (name = "disk", disk = (path = "disk", writable = true)),
]);
`,
  );
  mkdirSync(join(folder, "disk"));
}
