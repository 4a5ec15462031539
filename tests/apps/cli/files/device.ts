import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/**
 * Creates a link to a device in a folder, and returns the path of the device. For root, who could replace that of the machine if the
 * code under test is broken, it is a device in the folder; others cannot.
 */
export function linkDevice(folder: string, link: string): string {
  const isRoot = process.getuid?.() === 0;
  const device = isRoot ? join(folder, "null") : "/dev/null";
  if (isRoot) execFileSync("mknod", [device, "c", "1", "3"]);
  symlinkSync(device, join(folder, link));
  return device;
}
