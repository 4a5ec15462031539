import { errorResult } from "../../core/call/outcome.ts";
import { checkOptions, POSITIVE, required } from "../../internal/options.ts";
import type { Middleware } from "../../core/handler/middleware.ts";

/**
 * Creates middleware that ends a call with `deadline_exceeded` after `timeoutMs`, and aborts `ctx.signal`.
 *
 * Limits everything within this middleware, including streams. The limit of a whole call is the tool's `.timeout()` or the
 * server's `timeoutMs`.
 *
 * @example A limit for a group of tools
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { timeout } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const quick = timeout(5);
 * const hang = defineTool("hang").describe("Never answer").use(quick).handle(() => new Promise<string>(() => {}));
 * console.log(await testClient(createServer({ tools: [hang] })).hang().catch(({ code }) => code));
 * // → deadline_exceeded
 * ```
 * @throws {RangeError} If `timeoutMs` is not a number above 0.
 */
export function timeout(timeoutMs: number): Middleware {
  checkOptions<{ timeoutMs: number }>("create a timeout", { timeoutMs }, { timeoutMs: required(POSITIVE) });
  const tooLate = errorResult("deadline_exceeded", `The call took longer than ${timeoutMs} ms`);
  return (ctx, next) => {
    const result = next();
    if (!(result instanceof Promise)) return result;
    const cancel = ctx.clock.after(timeoutMs, () => ctx.end(tooLate));
    return result.then((later) => {
      cancel();
      return later;
    });
  };
}
