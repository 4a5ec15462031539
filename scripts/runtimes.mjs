// Where the runtimes are: Bun, Deno and workerd are dev dependencies, a Node of another major is fetched into `.cache/`.
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** A command of a dev dependency. */
export function findBin(name) {
  return join(root, "node_modules/.bin", name);
}

/** A Node of this major: the running one if it fits, else the npm package that carries it, installed when missing. */
export function findNode(major) {
  if (Number.parseInt(process.versions.node, 10) === major) return process.execPath;
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(root, `.cache/node-${major}`);
  const node = join(folder, "node_modules", name, "bin/node");
  if (!existsSync(node)) {
    console.error(`Installing Node ${major} …`);
    runOrThrow("npm", ["install", "--prefix", folder, "--no-save", "--loglevel=error", `${name}@${major}`], {
      cwd: root,
    });
  }
  return node;
}

/** The compiler of a version of TypeScript, which is installed when missing. */
export function findTypeScript(version) {
  const folder = join(root, `.cache/typescript-${version}`);
  const tsc = join(folder, "node_modules/.bin/tsc");
  if (!existsSync(tsc)) {
    console.error(`Installing TypeScript ${version} …`);
    runOrThrow("npm", ["install", "--prefix", folder, "--no-save", "--loglevel=error", `typescript@${version}`], {
      cwd: root,
    });
  }
  return tsc;
}

/** The environment of a child: the dev dependencies' commands on its path, `node` being the one that runs, no colours. */
export function childEnv(node = process.execPath) {
  const path = [dirname(node), join(root, "node_modules/.bin"), process.env.PATH ?? ""].join(delimiter);
  return { ...process.env, PATH: path, NO_COLOR: "1", FORCE_COLOR: undefined };
}

/** Runs a command to its end; its output is returned, or thrown when it fails. */
export function runOrThrow(command, args, options = {}) {
  const result = spawnSync(command, args, {
    encoding: "utf8",
    env: childEnv(),
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
  if (result.status === 0) return result.stdout;
  const why = result.error?.message ?? `status ${result.status ?? result.signal}`;
  throw new Error(`\`${[command, ...args].join(" ")}\` failed: ${why}\n${result.stdout ?? ""}${result.stderr ?? ""}`);
}

/** Runs a command to its end, whatever that is, without holding up others. */
export function runToEnd(command, args, options) {
  return new Promise((resolve) => {
    const settings = { encoding: "utf8", maxBuffer: 1 << 28, ...options };
    const child = execFile(command, args, settings, (error, stdout, stderr) => {
      const status = error === null ? 0 : child.exitCode ?? child.signalCode ?? String(error);
      resolve({ status, stdout, stderr });
    });
    child.stdin?.end();
  });
}
