// Asks a server by h2load (Debian: nghttp2-client): a generator that costs little beside what it measures.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Answers differ in their times by some digits, and hardly by more. */
const leeway = { share: 0.05, bytes: 8 };

const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/**
 * Posts one body `calls` times, or sends GET without a body.
 *
 * @param target Further arguments of h2load, with the address last.
 * @param answerBytes The length of an answer that was checked. Throws if those here have another, as errors within a 2xx have.
 * @returns calls a second, or `undefined` if not all were answered with a 2xx.
 */
export function load(body, calls, target, answerBytes) {
  const file = join(folder, "body");
  if (body !== undefined) writeFileSync(file, body);
  const args = ["-n", calls, ...(body === undefined ? [] : ["-d", file]), ...target].map(String);
  const { status, stdout, error } = spawnSync("h2load", args, {
    encoding: "utf8",
  });
  if (error) {
    throw new Error("Needs h2load (Debian: apt-get install nghttp2-client)", {
      cause: error,
    });
  }
  const succeeded = Number(/(\d+) succeeded/.exec(stdout)?.[1]);
  if (status !== 0 || succeeded !== calls) return undefined;
  const bytes = Number(/\((\d+)\) data/.exec(stdout)?.[1]) / calls;
  if (!(Math.abs(bytes - answerBytes) <= answerBytes * leeway.share + leeway.bytes)) {
    const url = target.at(-1);
    throw new Error(
      `${url} gave h2load ${bytes} bytes a call, where the checked answer has ${answerBytes}: not the same answer`,
    );
  }
  return Number(/finished in .*?, ([\d.]+) req\/s/.exec(stdout)[1]);
}
