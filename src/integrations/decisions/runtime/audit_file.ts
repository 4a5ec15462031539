/** An audit in a file. */
import { releasing } from "../../../internal/clean_up.ts";
import type { AuditSink } from "../audit_log.ts";

/** Number of bytes at the end of a file in which its last line is. */
const END_BYTES = 65_536;

/**
 * A sink for `auditLog` that appends to a file, and never changes what is in it. A line is with the operating system when its call ends, so
 * that it survives the end of the process. Not on Workers. Each process needs a file apart.
 *
 * @param path Path of the file. It is created with the first line; its folder has to exist.
 */
export function auditFile(path: string): AuditSink {
  if (typeof path !== "string" || path === "") throw new TypeError("Cannot keep an audit: pass the path of a file");
  return {
    async readEnd() {
      const { open } = await import("node:fs/promises");
      const file = await open(path, "a+", 0o600);
      const read = async (): Promise<string> => {
        const { size } = await file.stat();
        const from = Math.max(0, size - END_BYTES);
        const bytes = new Uint8Array(size - from);
        await file.read(bytes, 0, bytes.length, from);
        return new TextDecoder().decode(bytes);
      };
      return await releasing(read, () => file.close());
    },
    async append(text) {
      const { appendFile } = await import("node:fs/promises");
      await appendFile(path, text, { mode: 0o600 });
    },
  };
}
