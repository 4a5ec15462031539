// Lets Node run the tests from source: `jsr:@toolwire/…` is where tsconfig.json says, as it is on Bun.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import process from "node:process";
import { transformSync } from "esbuild";

const root = new URL("../../", import.meta.url);
const { paths } = JSON.parse(readFileSync(new URL("tsconfig.json", root), "utf8")).compilerOptions;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [path] = Object.hasOwn(paths, specifier) ? paths[specifier] : [];
    return path === undefined ? nextResolve(specifier, context) : nextResolve(new URL(path, root).href, context);
  },
});

// Node 22 has no `using` yet. Only the tests are translated: what they test is to run as it is.
const tests = new URL("tests/", root).href;
if (Number.parseInt(process.versions.node, 10) < 24) {
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith(tests) || !url.endsWith(".ts")) return nextLoad(url, context);
      const source = readFileSync(new URL(url), "utf8");
      const { code } = transformSync(source, { loader: "ts", target: "es2023", sourcemap: "inline", sourcefile: url });
      return { format: "module", source: code, shortCircuit: true };
    },
  });
}
