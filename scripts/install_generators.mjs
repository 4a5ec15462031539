// Installs tools of other projects into `.cache/generators/`: `node scripts/install_generators.mjs`. Two generators of OpenAPI
// clients and the tool of `.mcpb` bundles. They are not dev dependencies: one needs the compiler API of TypeScript 5, one is a Python
// package, and one has 55 packages.
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

const python = join(folder, "python");
if (!existsSync(join(python, "bin/openapi-python-client"))) {
  runOrThrow("python3", ["-m", "venv", python]);
  runOrThrow(join(python, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", ...PYPI_PACKAGES]);
}
console.log(`Generators are in ${folder}`);

function installFromNpm(name, program, packages) {
  const prefix = join(folder, name);
  if (existsSync(join(prefix, "node_modules/.bin", program))) return;
  runOrThrow("npm", ["install", "--prefix", prefix, "--no-save", "--no-audit", "--loglevel=error", ...packages]);
}
