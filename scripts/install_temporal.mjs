// Builds a Temporal server and installs Temporal's worker into `.cache/temporal/`, for the tests of `./temporal`:
// `node scripts/install_temporal.mjs`. Needs Go, and takes some minutes.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root, runOrThrow } from "./runtimes.mjs";

const MODULE = "go.temporal.io/server";
const SERVER = `${MODULE}@v1.25.2`;
const PACKAGES = ["@temporalio/client@1.24.0", "@temporalio/worker@1.24.0", "@temporalio/workflow@1.24.0"];

const folder = join(root, ".cache/temporal");
mkdirSync(folder, { recursive: true });
installPackages();
buildServer();
console.log(`The Temporal server and its packages are in ${folder}`);

function installPackages() {
  if (existsSync(join(folder, "node_modules/@temporalio/worker"))) return;
  writeFileSync(join(folder, "package.json"), "{}");
  runOrThrow("npm", ["install", "--prefix", folder, "--no-save", "--no-audit", "--loglevel=error", ...PACKAGES]);
}

function buildServer() {
  const binary = join(folder, "temporal-server");
  if (existsSync(binary)) return;
  const source = join(folder, "source");
  rmSync(source, { recursive: true, force: true });
  cpSync(join(root, "scripts/temporal_server"), source, { recursive: true });
  const go = findGo();
  // The compiler collects garbage less often, which saves a quarter of its time.
  const env = { ...process.env, GOFLAGS: "-mod=mod -trimpath -modcacherw", GOTOOLCHAIN: "local", GOGC: "400" };
  const run = (...args) => runOrThrow(go, args, { cwd: source, env });
  run("mod", "init", "temporal-server");
  const { Dir } = JSON.parse(run("mod", "download", "-json", SERVER));
  cpSync(Dir, join(source, "server"), { recursive: true });
  // Without the clients of clouds, which are for archives, and a tenth of it.
  renameSync(join(source, "provider/provider.go"), join(source, "server/common/archiver/provider/provider.go"));
  run("mod", "edit", `-replace=${MODULE}=./server`, `-require=${SERVER}`);
  // Without what debuggers read, and as the source says it: both take less time than to optimise it.
  run("build", "-gcflags=all=-dwarf=false -N -l", "-ldflags=-s -w", "-o", binary, ".");
  rmSync(source, { recursive: true, force: true });
}

/** The Go that install_grpc_tools.mjs installs, else another one. */
function findGo() {
  // Debian and the archive of Go install to different folders.
  const programs = [join(root, ".cache/generators/grpc/bin/go"), "go", "/usr/local/go/bin/go"];
  const go = programs.find((program) => spawnSync(program, ["version"]).status === 0);
  if (go === undefined) throw new Error("There is no Go: node scripts/install_grpc_tools.mjs installs it");
  return go;
}
