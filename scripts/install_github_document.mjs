// Puts GitHub's OpenAPI document into `.cache/github/`: `node scripts/install_github_document.mjs`.
// Its package is not a dev dependency: it has 390 MB, of which one file is used.
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, runOrThrow } from "./runtimes.mjs";

const VERSION = "23.0.2";
const FILE = "package/generated/api.github.com.json";

const folder = join(root, ".cache/github");
const document = join(folder, `api.github.com-${VERSION}.json`);

if (!existsSync(document)) {
  const parts = join(folder, "parts");
  mkdirSync(parts, { recursive: true });
  runOrThrow("npm", ["pack", `@octokit/openapi@${VERSION}`, "--pack-destination", parts, "--loglevel=error"]);
  runOrThrow("tar", ["-xzf", join(parts, `octokit-openapi-${VERSION}.tgz`), "-C", parts, FILE]);
  copyFileSync(join(parts, FILE), document);
  rmSync(parts, { recursive: true });
}
console.log(`GitHub's document is ${document}`);
