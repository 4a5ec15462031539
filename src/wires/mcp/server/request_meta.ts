/**
 * `_meta` of requests of 2026-07-28: protocol version, capabilities, client and log level.
 *
 * The members are read in place. No object is created for a valid request.
 */
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { UNSUPPORTED_VERSION } from "../protocol/codes.ts";
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  LOG_LEVELS,
  MODERN_VERSION,
  PROTOCOL_VERSION,
} from "../protocol/constants.ts";
import { type ProtocolError, protocolError } from "./response.ts";

/** The `_meta` of a request that names its protocol version there, which requests do since 2026-07-28; otherwise `undefined`. */
export function requestMetaOf(params: Members): Members | undefined {
  const { _meta: meta } = params;
  return isJsonObject(meta) && meta[PROTOCOL_VERSION] !== undefined ? meta : undefined;
}

/** Validates types of the members of `_meta`; `undefined` if all are valid. {@link checkVersion} checks whether the version is supported. */
export function checkRequestMeta(meta: Members): ProtocolError | undefined {
  if (typeof meta[PROTOCOL_VERSION] !== "string") return metaError(PROTOCOL_VERSION, "a string");
  const capabilities = meta[CLIENT_CAPABILITIES];
  if (!isJsonObject(capabilities)) {
    return metaError(CLIENT_CAPABILITIES, capabilities === undefined ? undefined : "an object");
  }
  const info = meta[CLIENT_INFO];
  if (info !== undefined && !isJsonObject(info)) return metaError(CLIENT_INFO, "an object");
  const level = meta[LOG_LEVEL];
  if (level !== undefined && !LOG_LEVELS.includes(level as string)) {
    return metaError(LOG_LEVEL, `one of ${LOG_LEVELS.join(", ")}`);
  }
  const token = meta["progressToken"];
  if (token !== undefined && typeof token !== "string" && !Number.isSafeInteger(token)) {
    return metaError("progressToken", "a string or an integer");
  }
  return undefined;
}

/** The error -32602 for a request without a protocol version in `_meta`, if it is required. */
export function missingMetaError(): ProtocolError {
  return metaError(PROTOCOL_VERSION, undefined);
}

/** The error for a protocol version in `_meta` other than 2026-07-28; otherwise `undefined`. */
export function checkVersion({ [PROTOCOL_VERSION]: version }: Members): ProtocolError | undefined {
  return version === MODERN_VERSION ? undefined : unsupportedVersionError(version);
}

/** The error for a protocol version that is not supported. */
export function unsupportedVersionError(requested: unknown): ProtocolError {
  return protocolError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${String(requested).slice(0, 64)}`, {
    supported: [MODERN_VERSION],
    requested,
  });
}

function metaError(key: string, expected: string | undefined): ProtocolError {
  const problem = expected === undefined ? "missing" : `must be ${expected}`;
  return protocolError(-32602, `params._meta["${key}"]: ${problem}`, { envelope: { key, problem } });
}
