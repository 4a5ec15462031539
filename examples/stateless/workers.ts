/**
 * Runs an example's Workers on this machine, in workerd, which is what Cloudflare runs them in.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build, stop as stopEsbuild } from "esbuild";

/** The Workers, running. */
export interface RunningWorkers<Socket extends string> {
  /** Where each of them is that can be reached. */
  readonly urls: Readonly<Record<Socket, string>>;
  /** Ends them. */
  close(): Promise<void>;
}

/** What `npx workerd` starts, started without a shell between, so that ending it ends it. */
const workerd = fileURLToPath(new URL("../../node_modules/.bin/workerd", import.meta.url));

/**
 * Bundles Workers and starts them on free ports of the loopback interface.
 *
 * @param story The folder of the example, with its `workerd.capnp`.
 * @param scripts Its Workers, in that folder.
 * @param sockets Names of its sockets.
 */
export async function startWorkers<const Socket extends string>(
  story: URL,
  scripts: readonly string[],
  sockets: readonly Socket[],
): Promise<RunningWorkers<Socket>> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-workers-"));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    await bundleInto(folder, story, scripts);
    const { ports, end } = await runWorkerd(folder, sockets);
    const urls = Object.fromEntries(sockets.map((socket) => [socket, `http://127.0.0.1:${ports.get(socket)}`]));
    const close = async () => {
      await end();
      await removeFolder();
    };
    return { urls: urls as Record<Socket, string>, close };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function bundleInto(folder: string, story: URL, scripts: readonly string[]): Promise<void> {
  const here = (file: string) => fileURLToPath(new URL(file, story));
  await build({
    entryPoints: scripts.map(here),
    outdir: folder,
    bundle: true,
    format: "esm",
    logLevel: "error",
  });
  // Deno waits for the helper process otherwise.
  await stopEsbuild();
  await copyFile(here("workerd.capnp"), join(folder, "workerd.capnp"));
}

/** Resolves when all of them listen. */
async function runWorkerd(
  folder: string,
  sockets: readonly string[],
): Promise<{ ports: Map<string, number>; end: () => Promise<void> }> {
  const anyPort = sockets.map((socket) => `--socket-addr=${socket}=127.0.0.1:0`);
  const child = spawn(workerd, ["serve", "workerd.capnp", ...anyPort, "--control-fd=1"], {
    cwd: folder,
    // One key for all instances, made up for this run.
    env: { ...process.env, TOOLWIRE_KEYS: `k1:${crypto.randomUUID()}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const end = async () => {
    child.kill();
    await exited;
  };
  const ports = new Map<string, number>();
  const listening = new Promise<void>((resolve, reject) => {
    let told = "";
    child.once("error", reject);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      for (const [, socket = "", port] of told.matchAll(/"socket":"(\w+)","port":(\d+)/g)) {
        ports.set(socket, Number(port));
      }
      if (ports.size === sockets.length) resolve();
    });
    void exited.then(() => reject(new Error("workerd ended before it listened")));
  });
  try {
    await listening;
    return { ports, end };
  } catch (error) {
    await end();
    throw error;
  }
}
