/**
 * The modules that code on the page `/play` can import.
 *
 * @module
 */

/** Entries of the package that need no file, process or socket. */
export const ENTRIES = [
  "toolwire",
  "toolwire/core",
  "toolwire/engines",
  "toolwire/keys",
  "toolwire/schema",
  "toolwire/mcp",
  "toolwire/rest",
  "toolwire/webtools",
  "toolwire/compose",
  "toolwire/discovery",
  "toolwire/middleware",
  "toolwire/answers",
  "toolwire/agents",
  "toolwire/json-schema",
  "toolwire/openapi",
  "toolwire/testing",
];

/** Modules that the page has in place of those of a server. */
export const SHIMS = ["toolwire/serve", "node:assert/strict"];

const RUNNABLE = new Set([...ENTRIES, ...SHIMS]);

/** Whether a fence of Markdown runs on the page: a test of `tests/docs` runs it, and all of its imports are there. */
export function canRun(info, code) {
  if (!/^ts( \[[^\]]*\])?$/.test(info.trim())) return false;
  const imported = [
    ...code.matchAll(
      /^(?:import|export) [^;]*?from "([^"]+)"|\bimport\("([^"]+)"\)/gm,
    ),
  ].map((
    [, name, lazy],
  ) => name ?? lazy);
  return imported.includes("toolwire") &&
    imported.every((name) => RUNNABLE.has(name));
}
