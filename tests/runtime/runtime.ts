/** Which runtime runs this, for tests that cannot run on all: `test(name, { skip: runtime === "workerd" && "why" }, …)`. */
export const runtime: "bun" | "deno" | "node" | "workerd" | "browser" = detectRuntime();

function detectRuntime(): typeof runtime {
  const names = globalThis as {
    readonly Bun?: unknown;
    readonly Deno?: unknown;
    readonly process?: { release?: { name?: string } };
  };
  if (names.Bun !== undefined) return "bun";
  if (names.Deno !== undefined) return "deno";
  // Asked before Node: workerd has a `process` too.
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") return "workerd";
  return names.process?.release?.name === "node" ? "node" : "browser";
}
