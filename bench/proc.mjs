// What another process takes of the machine (Linux).
import { readdirSync, readFileSync } from "node:fs";

/** What all threads of a process have had of the processor (Linux). */
export function readCpuMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((thread) => readProc(`${pid}/task/${thread}/schedstat`).split(" ", 1)[0]);
  return ns.reduce((sum, text) => sum + Number(text), 0) / 1e6;
}

export function readResidentMb(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readProc(`${pid}/status`))[1]) / 1000;
}

/** Empty for a thread that has just ended. */
function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}
