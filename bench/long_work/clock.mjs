// What a process takes of the machine.
import process from "node:process";

/** The processor's time of all threads, in nanoseconds: other processes do not count. */
export function readCpuNs() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e3;
}

/** @returns the processor's nanoseconds that `work` took. */
export async function timeCpu(work) {
  const startNs = readCpuNs();
  await work();
  return readCpuNs() - startNs;
}

export function readHeapBytes() {
  if (globalThis.Bun) Bun.gc(true);
  else globalThis.gc();
  return process.memoryUsage().heapUsed;
}
