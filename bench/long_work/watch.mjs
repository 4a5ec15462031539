// What a store is asked in this process, and what that takes: `{ [what]: { count, ms } }`, from the beginning on.
import process from "node:process";

/** Has every statement of SQLite counted from now on. @returns reads the counts. */
export function watchSqlite() {
  const seen = {};
  const { prototype } = globalThis.Bun
    ? process.getBuiltinModule("bun:sqlite").Database
    : process.getBuiltinModule("node:sqlite").DatabaseSync;
  const { exec, prepare } = prototype;
  const time = (sql, work) => {
    const startMs = performance.now();
    try {
      return work();
    } finally {
      note(seen, toLabel(sql), 1, performance.now() - startMs);
    }
  };
  prototype.exec = function (sql) {
    return time(sql, () => exec.call(this, sql));
  };
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    return {
      all: (...values) => time(sql, () => statement.all(...values)),
      run: (...values) => time(sql, () => statement.run(...values)),
      finalize: () => statement.finalize?.(),
    };
  };
  return () => structuredClone(seen);
}

/** Has every command that goes to Redis counted from now on. @returns reads the counts, and the processor's time of Redis. */
export async function watchRedis(url) {
  const { Redis } = await import("ioredis");
  const client = new Redis(url);
  await client.ping();
  const seen = {};
  const { sendCommand } = Redis.prototype;
  Redis.prototype.sendCommand = function (command, ...rest) {
    if (this !== client) note(seen, command.name, 1, 0);
    return sendCommand.call(this, command, ...rest);
  };
  return async () => {
    const info = await client.info("cpu");
    const read = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)[1]);
    const ms = (read("used_cpu_user") + read("used_cpu_sys")) * 1_000;
    return { ...structuredClone(seen), "in Redis": { count: 0, ms } };
  };
}

/** What was seen between two looks, a job. */
export function subtract(after, before, jobs) {
  return Object.fromEntries(
    Object.entries(after).map(([what, { count, ms }]) => {
      const earlier = before[what] ?? { count: 0, ms: 0 };
      return [what, { count: (count - earlier.count) / jobs, ms: (ms - earlier.ms) / jobs }];
    }),
  );
}

/** `UPDATE jobs` and the like: what a statement does to which table. */
function toLabel(sql) {
  const [, verb, table] = /^\s*(\w+)\b(?:.*?\b((?:jobs|deliveries)\b))?/s.exec(sql);
  return table === undefined ? verb : `${verb} ${table}`;
}

function note(seen, what, count, ms) {
  const sum = seen[what] ??= { count: 0, ms: 0 };
  sum.count += count;
  sum.ms += ms;
}
