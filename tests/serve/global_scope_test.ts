/** What Workers forbid in global scope: timers, random values, signals and I/O, none of which the creation of a server needs. */
import { doesNotThrow, throws } from "node:assert/strict";
import { test } from "node:test";
import { createWorker } from "./global_scope.ts";

type Members = Record<string, unknown>;

/** Runs `work` while what is forbidden throws. */
function inGlobalScope(work: () => unknown): void {
  const holders: readonly (readonly [object, readonly string[]])[] = [
    [globalThis, ["AbortController", "setTimeout", "setInterval", "fetch", "WebSocket", "MessageChannel"]],
    [AbortSignal, ["timeout", "any", "abort"]],
    [crypto, ["getRandomValues", "randomUUID"]],
    [crypto.subtle, ["digest", "importKey", "sign", "generateKey", "deriveKey", "deriveBits"]],
  ];
  const restore = holders.flatMap(([holder, names]) =>
    names.map((name) => {
      const own = Object.getOwnPropertyDescriptor(holder, name);
      const value = function forbidden() {
        throw new Error(`Disallowed operation called within global scope: ${name}`);
      };
      Object.defineProperty(holder, name, { value, configurable: true, writable: true });
      return () => {
        if (own === undefined) delete (holder as Members)[name];
        else Object.defineProperty(holder, name, own);
      };
    })
  );
  try {
    work();
  } finally {
    for (const undo of restore) undo();
  }
}

test("a server of all parts is created without timers, random values, signals and I/O", () => {
  doesNotThrow(() => inGlobalScope(createWorker));
});

test("the check above can fail", () => {
  throws(() => inGlobalScope(() => new AbortController()), /global scope: AbortController/);
  throws(() => inGlobalScope(() => crypto.randomUUID()), /global scope: randomUUID/);
  throws(() => inGlobalScope(() => setTimeout(() => {}, 1)), /global scope: setTimeout/);
});
