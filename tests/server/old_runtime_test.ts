/** Node 20 and browsers before 2024 load the package; servers and clients are refused there at once, not in the middle of a stream. */
import { rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer } from "../../mod.ts";
import { createClient as createCoreClient, createServer as createCoreServer } from "../../src/entries/core.ts";
import { serve } from "../../src/runtime/serve.ts";

/** Runs a function as on a runtime without `Promise.withResolvers`, which Node 20 lacks. */
async function onOldRuntime(run: () => Promise<void> | void): Promise<void> {
  const whole = Object.getOwnPropertyDescriptor(Promise, "withResolvers")!;
  Object.defineProperty(Promise, "withResolvers", { ...whole, value: undefined });
  try {
    await run();
  } finally {
    Object.defineProperty(Promise, "withResolvers", whole);
  }
}

test("an old runtime is refused where a server or client is created, with the versions that work", async () => {
  const server = createServer({ tools: [] });
  const says = (action: string) => ({
    name: "TypeError",
    message: `Cannot ${action}: this runtime is too old; Toolwire needs Node 22 or later, or a browser of 2024`,
  });
  await onOldRuntime(async () => {
    throws(() => createServer({ tools: [] }), says("create server"));
    throws(() => createCoreServer({ tools: [] }), says("create server"));
    throws(() => createClient("http://127.0.0.1:8000"), says("create client"));
    throws(() => createCoreClient("http://127.0.0.1:8000"), says("create client"));
    await rejects(serve(server), says("serve this"));
  });
  await server.close();
});
