// Installs tools of other projects into `.cache/generators/`: `node scripts/install_generators.mjs`. Two generators of OpenAPI
// clients, the tool of `.mcpb` bundles, and FastMCP, whose servers the command line calls. They are not dev dependencies: one needs the compiler API of TypeScript 5, two are Python
// packages, and one has 55 packages.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, runOrThrow } from "./runtimes.mjs";

const NPM_PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];
const BUNDLE_PACKAGES = ["@anthropic-ai/mcpb@2.1.2"];
const PYPI_PACKAGES = ["openapi-python-client==0.29.1", "mypy==2.4.1"];

const folder = join(root, ".cache/generators");
mkdirSync(folder, { recursive: true });

installFromNpm("typescript", "openapi-typescript", NPM_PACKAGES);
installFromNpm("mcpb", "mcpb", BUNDLE_PACKAGES);

installFromPypi("python", "openapi-python-client", PYPI_PACKAGES);
// By itself: it needs other versions of the same packages.
installFromPypi("fastmcp", "fastmcp", ["fastmcp==4.1.2"]);
console.log(`Generators are in ${folder}`);

function installFromNpm(name, program, packages) {
  const prefix = join(folder, name);
  if (existsSync(join(prefix, "node_modules/.bin", program))) return;
  runOrThrow("npm", ["install", "--prefix", prefix, "--no-save", "--no-audit", "--loglevel=error", ...packages]);
}

function installFromPypi(name, program, packages) {
  const environment = join(folder, name);
  if (existsSync(join(environment, "bin", program))) return;
  runOrThrow("python3", ["-m", "venv", environment]);
  runOrThrow(join(environment, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", ...packages]);
}
