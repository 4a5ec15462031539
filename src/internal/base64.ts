/** How many bytes are turned into characters at once: a function takes only so many arguments. */
const CHUNK_BYTES = 0x8000;

/** Base64 with padding (RFC 4648, section 4): what JSON carries bytes as. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(binary);
}
