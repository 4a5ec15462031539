/** Runs a program to its end. */
import { spawn, type SpawnOptions } from "node:child_process";

/** Starts a program and waits for its end. Returns its status, `null` if a signal has ended it, or why it was not started. Never rejects. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<number | null | Error> {
  return await new Promise((end) => {
    try {
      // Some reasons are events, others exceptions.
      spawn(command, args, options).once("error", end).once("close", end);
    } catch (thrown) {
      end(thrown as Error);
    }
  });
}
