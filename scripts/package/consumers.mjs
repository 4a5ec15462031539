// The packages of this tree for projects that install them by their names, as users do: a registry on this machine has them, and redirects
// requests for all others. Projects are installed and run in temporary folders, with separate caches where names could be stale.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { childEnv, findNode, root, runOrThrow } from "../runtimes.mjs";
import { startRegistry } from "./registry.mjs";

const execute = promisify(execFile);

/** The package `toolwire`, and the script that builds it. */
export const TOOLWIRE = { folder: root, script: "build.mjs" };
/** The package `create-toolwire`. */
export const CREATE_TOOLWIRE = { folder: join(root, "apps/create-toolwire"), script: "build_create.mjs" };

/**
 * Builds, packs and serves packages of this tree.
 *
 * @param {readonly { folder: string, script: string }[]} chosen
 * @returns The temporary folder, the environment of commands that install from the registry, Node 24, `run`, and `close`, which removes all.
 */
export async function serveConsumers(chosen) {
  const temporary = mkdtempSync(join(tmpdir(), "toolwire-consumers-"));
  const node = findNode(24);
  const upstream = runOrThrow("npm", ["config", "get", "registry"]).trim();
  const cache = runOrThrow("npm", ["config", "get", "cache"]).trim();
  const registry = await startRegistry(chosen.map(({ folder, script }) => pack(folder, script, temporary)), upstream);
  const env = {
    ...childEnv(node),
    npm_config_registry: registry.url,
    NPM_CONFIG_REGISTRY: registry.url,
    npm_config_user_agent: "",
    npm_config_cache: cache,
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    // The packages of this tree have versions that were not published, and may be packed again.
    BUN_INSTALL_CACHE_DIR: join(temporary, "bun"),
    DENO_DIR: join(temporary, "deno"),
    WRANGLER_SEND_METRICS: "false",
    NEXT_TELEMETRY_DISABLED: "1",
    HOME: temporary,
  };
  return {
    temporary,
    env,
    node,
    /** Further variables are added to the environment. */
    run: ([command, ...args], cwd, variables = {}) => run(command, args, { cwd, env: { ...env, ...variables }, node }),
    close() {
      registry.close();
      rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Builds and packs a package. */
function pack(folder, script, temporary) {
  runOrThrow(process.execPath, [join(root, "scripts", script)], { cwd: root });
  const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", temporary];
  const packed = JSON.parse(runOrThrow("npm", words, { cwd: folder }));
  // An array in npm 10 and 11, a record by name in later ones.
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { manifest, bytes: readFileSync(join(temporary, filename)) };
}

async function run(command, args, { cwd, env, node }) {
  const path = [dirname(node), join(root, "node_modules/.bin"), process.env.PATH].join(":");
  const running = execute(command, args, { cwd, env: { ...env, PATH: path }, timeout: 600_000, maxBuffer: 1 << 26 });
  running.child.stdin.end();
  return await running;
}

/**
 * A port that is free now, below those that systems give to connections: no connection takes it while a server that was killed is started
 * again.
 */
export async function freePort() {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_240 + Math.floor(Math.random() * 20_000);
    const socket = createSocket();
    const isFree = await new Promise((resolve) => {
      socket.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => socket.close(resolve));
    return port;
  }
  throw new Error("No port is free");
}
