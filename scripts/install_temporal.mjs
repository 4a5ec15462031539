// Builds a Temporal server and installs Temporal's worker into `.cache/temporal/`, for the tests of `./temporal`:
// `node scripts/install_temporal.mjs`. Needs Go. The build takes minutes: `.ci/run` does it only with `TOOLWIRE_TEMPORAL=1`.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { root, runOrThrow } from "./runtimes.mjs";

const SERVER = "go.temporal.io/server@v1.25.2";
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
  const source = join(folder, "server");
  rmSync(source, { recursive: true, force: true });
  cpSync(join(root, "scripts/temporal_server"), source, { recursive: true });
  // Debian and the archive of Go install to different folders.
  const PATH = [process.env.PATH, "/usr/local/go/bin"].join(delimiter);
  const options = { cwd: source, env: { ...process.env, PATH, GOFLAGS: "-mod=mod -trimpath" } };
  runOrThrow("go", ["mod", "init", "temporal-server"], options);
  runOrThrow("go", ["get", SERVER], options);
  // Without what debuggers read, it is built faster.
  runOrThrow("go", ["build", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-o", binary, "."], options);
}
