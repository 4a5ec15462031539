/** Checks of an engine, and of the tools that it serves, when a server is created. */
import type { Engine } from "../../core/dispatch/engine.ts";
import type { TokenKeys } from "../../core/token/token.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";

/** @throws {TypeError} If a tool has work that would end with the request that began it. */
export function assertNoWork(definitions: readonly ToolDefinition[], { name }: Engine): void {
  const promising = definitions.find(({ promise }) => promise !== undefined);
  if (promising === undefined) return;
  throw new TypeError(
    `Cannot create server: the tool "${promising.name}" has .promise(), and here the work of the engine "${name}" ends with the ` +
      "request that began it. Use .external(), with the work done elsewhere, or a custom engine that outlives requests, by " +
      "withPromises(engine). To accept that work is lost: memoryEngine({ workEndsWithRequest: true })",
  );
}

/** @throws {TypeError} If a tool takes config, the engine stores jobs outside of the process, and the keys are not sealed. */
export function assertConfigHidden(definitions: readonly ToolDefinition[], engine: Engine, keys: TokenKeys): void {
  const definition = definitions.find(({ config }) => config !== undefined);
  if (definition === undefined || keys.isSealed || isOfOneProcess(engine)) return;
  throw new TypeError(
    `Cannot create server: the tool ${definition.name} takes config, which the engine ${engine.name} would store in plain text: ` +
      'pass keys that encrypt, { keys: sealed("k1:…") } of "toolwire/keys/sealed"',
  );
}

/** @throws {TypeError} If a custom engine lacks the methods for the outcomes of steps, which it got later than the others. */
export function assertLedger(engine: Engine): void {
  const missing = (["appendLedger", "readLedger"] as const).filter((name) => typeof engine[name] !== "function");
  if (missing.length === 0) return;
  throw new TypeError(
    `Cannot create server: the engine "${engine.name}" has no ${
      missing.join("() and no ")
    }(), which keep the results of steps; ` +
      "add them, and test the engine with engineSuite()",
  );
}

/** Whether only this process has the jobs of an engine. */
export function isOfOneProcess(engine: Engine): boolean {
  try {
    return engine.processId !== undefined;
  } catch {
    // The engine makes a random id for its process, and some runtimes have no randomness before the first request.
    return true;
  }
}
