import { type ErrorResult, errorResult } from "./outcome.ts";

/**
 * The error `payload_too_large` of a request over the server's `limits.bodyBytes`, which it names.
 *
 * @param what What is too large: a body, a message, a line.
 * @param givenBytes Its size, if it is known: what is longer is not read to its end.
 */
export function payloadTooLarge(what: string, maxBytes: number, givenBytes?: number): ErrorResult {
  const given = givenBytes === undefined ? "" : `; it has ${givenBytes}`;
  const message = `The ${what} is larger than ${maxBytes} bytes, the server's limits.bodyBytes${given}`;
  return errorResult("payload_too_large", message);
}
