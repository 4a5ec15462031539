// Installs two published generators of OpenAPI clients into `.cache/generators/`: `node scripts/install_generators.mjs`.
// They are not dev dependencies: one needs the compiler API of TypeScript 5, the other is a Python package.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root, runOrThrow } from "./runtimes.mjs";

const NPM_PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];
const PYPI_PACKAGES = ["openapi-python-client==0.29.1", "mypy==2.4.1"];

const folder = join(root, ".cache/generators");
mkdirSync(folder, { recursive: true });

const npm = join(folder, "typescript");
if (!existsSync(join(npm, "node_modules/.bin/openapi-typescript"))) {
  runOrThrow("npm", ["install", "--prefix", npm, "--no-save", "--no-audit", "--loglevel=error", ...NPM_PACKAGES]);
}

const python = join(folder, "python");
if (!existsSync(join(python, "bin/openapi-python-client"))) {
  runOrThrow("python3", ["-m", "venv", python]);
  runOrThrow(join(python, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", ...PYPI_PACKAGES]);
}
console.log(`Generators are in ${folder}`);
