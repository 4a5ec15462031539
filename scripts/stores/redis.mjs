// A separate Redis for the engine that needs one.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** @returns `{ url, stop }`; `undefined` where it is not installed. */
export async function startRedis() {
  if (spawnSync("redis-server", ["--version"]).status !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-redis-"));
  const port = await findPort();
  const settings = ["--bind", "127.0.0.1", "--port", port, "--dir", folder, "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", [...settings, "--maxmemory-policy", "noeviction"].map(String), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) {
      child.stdout.resume();
      return { url: `redis://127.0.0.1:${port}`, stop };
    }
  }
  stop();
  throw new Error("redis-server ended before it was ready");
}

export function findPort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
