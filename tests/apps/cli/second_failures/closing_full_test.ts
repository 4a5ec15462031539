/** Commands that serve or start something: their work fails, and then they cannot close it. The error is that of the work, with the other beside it. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Server } from "../../../../mod.ts";
import type { CliContext } from "../../../../apps/cli/context.ts";
import { serveProxy } from "../../../../apps/cli/record/serve_proxy.ts";
import { listPackedTools } from "../../../../src/integrations/packaging/list_packed_tools.ts";
import { NO_REPLACING, withBuiltin } from "../../../faulty_builtin.ts";
import { FIRST, SECOND } from "../../../server/second_failures/faulty.ts";
import { messagesOf } from "../../../server/second_failures/messages.ts";

const fail = (message: string) => (): Promise<never> => Promise.reject(new Error(message));

test("a proxy that cannot begin, and whose server cannot be closed", async () => {
  const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")], logger: false });
  const failing: Server = Object.assign(Object.create(server), { close: fail(SECOND) });
  const context = { interruption: () => new AbortController().signal } as CliContext;
  await rejects(serveProxy(failing, {}, context, fail(FIRST)), (thrown) => {
    deepStrictEqual(messagesOf(thrown), [FIRST, SECOND]);
    return true;
  });
  await server.close(0);
});

test("a packed program that does not start, and whose folder cannot be removed", { skip: NO_REPLACING }, async () => {
  const keep: string[] = [];
  const rmSync = (path: string): never => {
    keep.push(path);
    throw new Error(SECOND);
  };
  const program = `console.error(${JSON.stringify(FIRST)}); process.exit(1);`;
  await withBuiltin("node:fs", () => ({ rmSync }), async () => {
    await rejects(listPackedTools(program, "server.ts"), (thrown) => {
      deepStrictEqual(messagesOf(thrown)[0], `Cannot pack server.ts: the packed server does not start: ${FIRST}`);
      deepStrictEqual(messagesOf(thrown).at(-1), SECOND);
      return true;
    });
  });
  const { rmSync: remove } = await import("node:fs");
  for (const folder of keep) remove(folder, { recursive: true });
});
