// A separate PostgreSQL for the queues that need one.
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { findPort } from "./redis.mjs";

const debian = "/usr/lib/postgresql";

/** @returns `{ url, stop }`; `undefined` where it is not installed. */
export async function startPostgres() {
  const [initdb, postgres] = ["initdb", "postgres"].map(findProgram);
  const user = findUser();
  if (initdb === undefined || postgres === undefined || user === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-postgres-"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) { for (const path of [folder, data]) chownSync(path, user.uid, user.gid); }
  const init = ["-D", data, "-U", "toolwire", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(initdb, init, { cwd: folder, encoding: "utf8", ...user });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await findPort();
  // Without waits for the disk, as the Redis here: the figures are those of the queues.
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=200",
    "fsync=off",
  ];
  const flags = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const child = spawn(postgres, flags, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], ...user });
  const stop = () => {
    child.kill("SIGQUIT");
    child.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  };
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.includes("ready to accept connections")) continue;
    child.stderr.resume();
    return { url: `postgres://toolwire@127.0.0.1:${port}/postgres`, stop };
  }
  throw new Error("postgres ended before it was ready");
}

/** Debian has the programs in a folder that is not on the `PATH`. */
function findProgram(name) {
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...versions.map((one) => join(debian, one, "bin")), ...process.env.PATH.split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** PostgreSQL does not run as root. @returns `{}` if this user can run it, `undefined` if no user can. */
function findUser() {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) => {
    const { status, stdout } = spawnSync("id", [flag, "postgres"], { encoding: "utf8" });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid === undefined ? undefined : { uid, gid };
}
