// Projects of users, as other libraries have an ecosystem's CI: `node scripts/check_projects.mjs [project …]`. Each folder of tests/projects
// is a template: `create-toolwire` writes it, the packed tarball is installed by its name with real packages beside it, and its `check` and
// `test` are run. They find a Redis and a PostgreSQL at REDIS_URL and POSTGRES_URL.
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { startRedis } from "./stores/redis.mjs";
import { startPostgres } from "./stores/postgres.mjs";
import { CREATE_TOOLWIRE, serveConsumers, TOOLWIRE } from "./package/consumers.mjs";
import { root } from "./runtimes.mjs";

const NPM = { install: ["npm", "install", "--loglevel=error", "--no-package-lock"], task: ["npm", "run", "--silent"] };
const DENO = { install: ["deno", "install", "--quiet", "--no-lock"], task: ["deno", "task", "--quiet"] };
const PROJECTS = join(root, "tests/projects");
const named = process.argv.slice(2);
const folders = readdirSync(PROJECTS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const chosen = named.length > 0 ? named : folders.map(({ name }) => name).sort();

let passed = 0;
let failed = 0;
const { temporary, node, run, close } = await serveConsumers([TOOLWIRE, CREATE_TOOLWIRE]);
const program = join(temporary, "create");
cpSync(join(root, "apps/create-toolwire/dist"), program, { recursive: true });
mkdirSync(join(temporary, "projects"));
const [redis, postgres] = [await startRedis(), await startPostgres()];
try {
  if (redis === undefined || postgres === undefined) throw new Error("Install redis-server and postgresql first");
  for (const project of chosen) await check(project, { REDIS_URL: redis.url, POSTGRES_URL: postgres.url });
} finally {
  for (const store of [redis, postgres]) store?.stop();
  close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function check(project, stores) {
  const startMs = performance.now();
  const folder = join(temporary, "projects", project);
  const done = [];
  try {
    const create = [
      node,
      join(program, "main.js"),
      project,
      "--template",
      project,
      "--yes",
      "--no-install",
      "--no-git",
    ];
    await run(create, join(temporary, "projects"));
    done.push("create");
    const { install, task } = existsSync(join(folder, "deno.json")) ? DENO : NPM;
    await run(install, folder);
    done.push("install");
    for (const step of ["check", "test"]) {
      await run([...task, step], folder, stores);
      done.push(step);
    }
    passed++;
    console.log(`ok   ${project}: ${done.join(", ")} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
  } catch (thrown) {
    failed++;
    console.log(
      `FAIL ${project}, after ${done.join(", ")}\n${thrown.stdout ?? ""}${thrown.stderr ?? ""}${thrown.message}`,
    );
  }
}
