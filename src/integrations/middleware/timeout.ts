import { errorResult } from "../../core/call/outcome.ts";
import { checkOptions, POSITIVE, required } from "../../internal/options.ts";
import type { Middleware } from "../../core/handler/middleware.ts";

/**
 * Ends what takes longer than `timeoutMs` with `deadline_exceeded`; `ctx.signal` aborts. For what is within this middleware,
 * streams included; the limit of a whole call is the tool's `.timeout()` or the server's `timeoutMs`.
 *
 * @example A limit for a group of tools
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { timeout } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { rejects } from "node:assert/strict";
 *
 * const quick = timeout(5);
 * const hang = defineTool("hang").describe("Never answer").use(quick).handle(() => new Promise<string>(() => {}));
 * await rejects(testClient(createServer({ tools: [hang] })).hang(), { code: "deadline_exceeded" });
 * ```
 * @throws {RangeError} If `timeoutMs` is not a number above 0.
 */
export function timeout(timeoutMs: number): Middleware {
  checkOptions<{ timeoutMs: number }>("make a timeout", { timeoutMs }, { timeoutMs: required(POSITIVE) });
  const tooLate = errorResult("deadline_exceeded", `The call took longer than ${timeoutMs} ms`);
  return (ctx, next) => {
    const settled = next();
    if (!(settled instanceof Promise)) return settled;
    const cancel = ctx.clock.after(timeoutMs, () => ctx.end(tooLate));
    return settled.then((later) => {
      cancel();
      return later;
    });
  };
}
