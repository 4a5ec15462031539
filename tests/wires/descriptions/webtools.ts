/** Webtools. */
import { webtools as webtoolsWire, webtoolsTransport } from "../../../src/entries/webtools.ts";
import type { ClientOptions, ExpectedCodes, Lack, WireDescription } from "./description.ts";
import { errorEnd, jsonDialect } from "./raw_messages.ts";

/** The code of Webtools for each of ours, and the HTTP statuses that it may have. */
export const WEBTOOLS_CODES: ExpectedCodes<readonly [code: string, ...statuses: readonly number[]]> = {
  parse_error: ["SCHEMA_ERROR", 400],
  invalid_request: ["SCHEMA_ERROR", 400, 405, 415],
  method_not_found: ["WEBTOOL_NOT_FOUND", 404],
  tool_not_found: ["WEBTOOL_NOT_FOUND", 404],
  resource_not_found: ["WEBTOOL_NOT_FOUND", 404],
  prompt_not_found: ["WEBTOOL_NOT_FOUND", 404],
  invalid_input: ["SCHEMA_ERROR", 400],
  invalid_config: ["CONFIG_ERROR", 400],
  invalid_promise: ["SCHEMA_ERROR", 400],
  expired_promise: ["SCHEMA_ERROR", 400],
  invalid_continuation: ["SCHEMA_ERROR", 400],
  promise_lost: ["SCHEMA_ERROR", 410],
  conflict: ["SCHEMA_ERROR", 409],
  deadline_exceeded: ["INTERNAL_ERROR", 504],
  cancelled: ["INTERNAL_ERROR", 499],
  unauthenticated: ["UNAUTHENTICATED", 401],
  permission_denied: ["PERMISSION_DENIED", 403],
  rate_limited: ["RATE_LIMIT", 429],
  unavailable: ["INTERNAL_ERROR", 503],
  payload_too_large: ["SCHEMA_ERROR", 413],
  result_too_large: ["INTERNAL_ERROR", 500],
  internal: ["INTERNAL_ERROR", 500],
};

const PATH = "/webtools/fixture";
const LACKS: readonly Lack[] = ["pieces of answers", "progress of calls"];
const webtool = { name: "fixture", description: "What the suites call", version: "1.2.3" };
const unchecked = (url: string, options: ClientOptions) => webtoolsTransport(url, { ...options, validate: false });

/** See above. */
export const webtools: WireDescription = {
  name: "Webtools",
  wire: webtoolsWire(webtool),
  clients: [
    {
      name: "webtools",
      path: PATH,
      open: webtoolsTransport,
      lacks: [...LACKS, "arguments that the server alone checks"],
      dialect: {
        ...jsonDialect(
          PATH,
          () => ({}),
          (action) => ({ action, request: "ARGUMENTS" }),
          (json) =>
            json.status === "ok"
              ? { kind: "answer", value: json.data }
              : errorEnd(json.error.data?.code, json.error.message, json.error.data),
        ),
      },
    },
    {
      name: "webtools (unchecked)",
      path: PATH,
      open: unchecked,
      lacks: LACKS,
      responseTypes: ["application/json", "application/json"],
    },
  ],
  without: { ids: "its requests have no ids", pieces: "its answers have no pieces" },
  invalidOptions: [
    [webtoolsWire, [], /^Cannot create webtool: options are an object, not undefined$/],
    [webtoolsWire, [{}], /name must be text that is not empty, not undefined$/],
    [webtoolsWire, [{ ...webtool, path: "/x?y" }], /path must be like/],
    [
      webtoolsWire,
      [{ ...webtool, versions: [{}] }],
      /versions must be an array of \{ version, tools \}, not this array$/,
    ],
    [webtoolsTransport, ["http://x", { pin: {} }], /not the metadata of a webtool/],
    [webtoolsTransport, ["http://x", { pinned: {} }], /there is no option "pinned"; did you mean "pin"\?$/],
  ],
};
