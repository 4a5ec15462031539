import { ok } from "node:assert/strict";

/** A bound for what hangs, not a measure of the machine: 10 ms each. */
const TRIES = 6_000;

/**
 * Waits until the condition holds: for a minute at most, since a busy machine may need many times what a quiet one does.
 * `what` names the condition in the error of a test that waits in vain.
 */
export async function eventually(condition: () => boolean | Promise<boolean>, what = `${condition}`): Promise<void> {
  for (let tries = 0; !await condition(); tries++) {
    ok(tries < TRIES, `This did not happen: ${what}`);
    // The first looks come at once: most conditions hold after a few turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, tries < 20 ? 0 : 10));
  }
}
