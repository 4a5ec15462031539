/**
 * Redis, for as long as this process runs: in a temporary folder, on a free port of this machine.
 *
 * @module
 */
import { findProgram, freePort, startProgram, temporaryFolder } from "./programs.ts";

/** A server that runs. */
export interface RunningServer {
  /** Where it is. */
  readonly url: string;
  /** Its process id. */
  readonly pid: number;
  /** Ends it, and deletes its folder. */
  stop(): Promise<void>;
}

/** Starts Redis, empty. */
export async function startRedis(): Promise<RunningServer> {
  const folder = await temporaryFolder("redis");
  const port = await freePort();
  const program = startProgram([
    findProgram("redis-server") ?? "redis-server",
    ...["--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder.path, "--save", ""],
    // In production: `--appendonly yes`, so that jobs outlive Redis, too.
    ...["--appendonly", "no"],
    // A queue must not lose its oldest jobs when the memory is full: new ones are refused instead.
    ...["--maxmemory-policy", "noeviction"],
  ]);
  await program.until((output) => output.includes("Ready to accept connections"));
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: program.pid,
    async stop() {
      await program.end();
      await folder[Symbol.asyncDispose]();
    },
  };
}
