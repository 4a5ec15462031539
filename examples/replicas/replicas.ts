/**
 * Three replicas, Redis and nginx: started together, ended together.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { startNginx } from "./nginx.ts";
import { freePort, type Program, scriptCommand, startProgram } from "./programs.ts";
import { startRedis } from "./redis.ts";

const SCRIPT = new URL("replica.ts", import.meta.url);

/** A replica as a process. */
export interface Replica {
  /** What it calls itself. */
  readonly name: string;
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  /** Its process id, now. */
  readonly pid: number;
  /** Ends it without a word, as `kill -9` does. */
  kill(): Promise<void>;
  /** Starts it again, where it was. */
  start(): Promise<void>;
}

/** All that the tour needs. */
export interface Stage {
  /** Where nginx answers for all replicas. */
  readonly url: string;
  /** The replicas. */
  readonly replicas: readonly Replica[];
  /** Ends everything that was started. */
  stop(): Promise<void>;
}

/**
 * Starts Redis, a replica for each name, and nginx in front of them.
 *
 * @param script The program of a replica: it gets its name, its port and the address of Redis, and prints a line when it serves.
 */
export async function startStage(names: readonly string[], script: URL = SCRIPT): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  const redis = await startRedis();
  started.defer(() => redis.stop());
  // All replicas sign with the same key. Yours is in their environment, and not made again with each start.
  const keys = `k1:${randomBytes(32).toString("base64")}`;
  const replicas = await Promise.all(names.map((name) => startReplica(script, name, redis.url, keys)));
  for (const replica of replicas) started.defer(() => replica.kill());
  const nginx = await startNginx(replicas.map(({ port }) => port));
  started.defer(() => nginx.stop());
  const all = started.move();
  return { url: nginx.url, replicas, stop: () => all.disposeAsync() };
}

async function startReplica(script: URL, name: string, redis: string, keys: string): Promise<Replica> {
  const port = await freePort();
  const start = async (): Promise<Program> => {
    const program = startProgram(scriptCommand(fileURLToPath(script), name, `${port}`, redis), {
      env: { TOOLWIRE_KEYS: keys },
    });
    await program.until((output) => output.includes("serves on"));
    return program;
  };
  let program = await start();
  return {
    name,
    port,
    get pid() {
      return program.pid;
    },
    kill: () => program.end("SIGKILL"),
    async start() {
      program = await start();
    },
  };
}
