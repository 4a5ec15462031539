import { encodeError } from "../codec/jsonrpc/encode.ts";
import type { ToolErrorCode } from "../error/code.ts";
import type { Reply } from "../wires/wire.ts";

/** What the server says where no wire has the word: a JSON-RPC error without an id. */
export function plainReply(status: number, number: number, code: ToolErrorCode, message: string): Reply {
  const body = encodeError(null, JSON.stringify({ code: number, message, data: { code } }));
  return { status, headers: { "content-type": "application/json" }, body };
}
