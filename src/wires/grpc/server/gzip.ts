import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { concatBytes } from "../messages/bytes.ts";

/** Decompresses a message, no further than to `maxBytes`. Total: bad input is a value. */
export async function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | ErrorResult> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > maxBytes) return errorResult("payload_too_large", `The message is larger than ${maxBytes} bytes`);
      pieces.push(read.value);
    }
    return concatBytes(pieces);
  } catch {
    return errorResult("parse_error", "The message is not gzip");
  } finally {
    void reader.cancel().catch(() => {});
  }
}
