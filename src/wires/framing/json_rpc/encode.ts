import type { RequestId } from "./decode.ts";

/** A response whose result is JSON text already: nothing is stringified twice. */
export function encodeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${resultJson}}`;
}

/** A response whose error is JSON text already. */
export function encodeError(id: RequestId | null, errorJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"error":${errorJson}}`;
}

function encodeId(id: RequestId | null): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}
