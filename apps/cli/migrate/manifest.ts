/** The package.json of converted files: adds toolwire and what its frameworks need, removes what no file imports. */
import { applyEdits, modify } from "jsonc-parser";
import { PACKAGES } from "./tables.ts";
import { isJsonObject } from "../../../src/internal/json.ts";
import { VERSION } from "../../../src/internal/version.ts";

/** Packages that a converted file may import and that the SDK brought along. */
const FRAMEWORKS: Readonly<Record<string, string>> = { express: "^5.0.0", hono: "^4.0.0", zod: "^4.0.0" };

/**
 * Returns a package.json with toolwire added and unused SDKs removed. It stays if `imported`, the packages of all files, lacks toolwire.
 *
 * @param isComplete Whether all files could be read. Otherwise no SDK is removed.
 * @throws {Error} If it is not JSON, or not a package.json.
 */
export function changeManifest(text: string, imported: ReadonlySet<string>, isComplete: boolean): string {
  const manifest = parseManifest(text);
  const wanted = [["toolwire", `^${VERSION}`] as const, ...Object.entries(FRAMEWORKS)];
  let changed = text;
  const groups = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  const isThere = (name: string) =>
    manifest["name"] as unknown === name || groups.some((group) => manifest[group]?.[name] !== undefined);
  if (!imported.has("toolwire")) return text;
  if (!isJsonObject(manifest) || groups.some((group) => !isJsonObject(manifest[group] ?? {}))) {
    throw new Error("it is not a package.json: it and its dependencies have to be objects");
  }
  for (const [name, range] of wanted) {
    if (imported.has(name) && !isThere(name)) changed = set(changed, ["dependencies", name], range);
  }
  // Tools that are used elsewhere, such as in scripts and tests of the whole repository, are development dependencies.
  for (const group of groups.filter((one) => one !== "devDependencies")) {
    for (const name of isComplete ? Object.keys(manifest[group] ?? {}) : []) {
      const isOld = PACKAGES.some((pattern) => pattern.test(name));
      if (isOld && !imported.has(name)) changed = set(changed, [group, name], undefined);
    }
  }
  return changed;
}

function parseManifest(text: string): Readonly<Record<string, Readonly<Record<string, string>> | undefined>> {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("it is not JSON: mend it, and run the command again", { cause });
  }
}

function set(text: string, path: readonly string[], value: string | undefined): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}

/** The package of a module: `@scope/name` or `name`. `undefined` for paths and modules with a scheme, such as `node:fs`. */
function packageName(module: string): string | undefined {
  return /^(@[^/]+\/[^/]+|[^./@:][^/:]*)(?:\/|$)/.exec(module)?.[1];
}

/** Packages that a text imports, with those of `import()` and `require()`. */
export function packagesIn(text: string): readonly string[] {
  const modules = [...text.matchAll(/(?:from|import|require)\s*(?:\(\s*)?["']([^"']+)["']/g)].map(([, module = ""]) =>
    module
  );
  return modules.map(packageName).filter((one) => one !== undefined);
}
