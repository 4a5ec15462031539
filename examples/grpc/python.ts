/**
 * Runs Python with grpcio, if there is one.
 *
 * @module
 */
import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { REPORT, SEARCH, type Task, TOO_MUCH, type Visit, WAIT_MS } from "./visit.ts";

const run = promisify(execFile);

/** Debian's own first: it has Debian's packages, which a newer one on the `PATH` may lack. */
const CANDIDATES = ["/usr/bin/python3", "python3"];

/** Path of a Python with grpcio; `undefined` without one. */
export function findPython(): string | undefined {
  return CANDIDATES.find((path) => spawnSync(path, ["-c", "import grpc, google.protobuf"]).status === 0);
}

/** Visits the library. */
export async function visitWithPython(python: string, task: Task): Promise<Visit> {
  const script = fileURLToPath(new URL("python_client.py", import.meta.url));
  const told = { ...task, search: SEARCH, topic: REPORT, too_much: TOO_MUCH, wait_ms: WAIT_MS };
  // -B: no __pycache__ beside the scripts.
  const { stdout } = await run(python, ["-B", script, JSON.stringify(told)]);
  return JSON.parse(stdout) as Visit;
}
