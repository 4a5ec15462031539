/**
 * What each request of 2026-07-28 says of itself, in `_meta`.
 *
 * Read in place: nothing is made of an envelope that is as it should be.
 *
 * @module
 */
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { type ProtocolError, protocolError } from "./answer.ts";
import { UNSUPPORTED_VERSION } from "../protocol/codes.ts";
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  LOG_LEVELS,
  MODERN_VERSION,
  PROTOCOL_VERSION,
} from "../protocol/constants.ts";

/** The `_meta` of a request that names its revision there: by that it claims to be of 2026-07-28 or later. */
export function claimOf(params: Members): Members | undefined {
  const { _meta: meta } = params;
  return isJsonObject(meta) && meta[PROTOCOL_VERSION] !== undefined ? meta : undefined;
}

/** What is wrong with an envelope; `undefined` if nothing is. */
export function checkEnvelope(meta: Members): ProtocolError | undefined {
  if (typeof meta[PROTOCOL_VERSION] !== "string") return malformed(PROTOCOL_VERSION, "a string");
  const capabilities = meta[CLIENT_CAPABILITIES];
  if (!isJsonObject(capabilities)) {
    return malformed(CLIENT_CAPABILITIES, capabilities === undefined ? undefined : "an object");
  }
  const info = meta[CLIENT_INFO];
  if (info !== undefined && !isJsonObject(info)) return malformed(CLIENT_INFO, "an object");
  const level = meta[LOG_LEVEL];
  if (level !== undefined && !LOG_LEVELS.includes(level as string)) {
    return malformed(LOG_LEVEL, `one of ${LOG_LEVELS.join(", ")}`);
  }
  const token = meta["progressToken"];
  if (token !== undefined && typeof token !== "string" && !Number.isSafeInteger(token)) {
    return malformed("progressToken", "a string or an integer");
  }
  return undefined;
}

/** The error of a request without an envelope, where one is needed. */
export function missingEnvelope(): ProtocolError {
  return malformed(PROTOCOL_VERSION, undefined);
}

/** What is wrong with the revision of an envelope; `undefined` if it is spoken here. */
export function checkVersion({ [PROTOCOL_VERSION]: claimed }: Members): ProtocolError | undefined {
  return claimed === MODERN_VERSION ? undefined : unsupportedVersion(claimed);
}

/** The error of a revision that is not spoken here. */
export function unsupportedVersion(requested: unknown): ProtocolError {
  return protocolError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${String(requested).slice(0, 64)}`, {
    supported: [MODERN_VERSION],
    requested,
  });
}

function malformed(key: string, expected: string | undefined): ProtocolError {
  const problem = expected === undefined ? "missing" : `must be ${expected}`;
  return protocolError(-32602, `params._meta["${key}"]: ${problem}`, { envelope: { key, problem } });
}
