/**
 * Python with grpcio, if there is one.
 *
 * @module
 */
import { spawnSync } from "node:child_process";

/** Debian's own first: it has Debian's packages, which a newer one on the `PATH` may lack. */
const CANDIDATES = ["/usr/bin/python3", "python3"];

/** Where a Python is that has grpcio; `undefined` if there is none. */
export function findPython(): string | undefined {
  return CANDIDATES.find((path) => spawnSync(path, ["-c", "import grpc, google.protobuf"]).status === 0);
}
