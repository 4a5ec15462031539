/** REST. */
import { rest as restWire, restTransport } from "../../../src/entries/rest.ts";
import type { ExpectedCodes, WireDescription } from "./description.ts";
import { encodeText, errorEnd, jsonOf } from "./raw_messages.ts";
import { textOf } from "../grpc/frames.ts";

/** The HTTP statuses that each of our codes may have. */
export const REST_STATUSES: ExpectedCodes<readonly number[]> = {
  parse_error: [400],
  invalid_request: [400, 405, 415],
  method_not_found: [404],
  tool_not_found: [404],
  resource_not_found: [404],
  prompt_not_found: [404],
  invalid_input: [400],
  invalid_config: [400],
  invalid_promise: [400],
  expired_promise: [400],
  invalid_continuation: [400],
  promise_lost: [410],
  conflict: [409],
  deadline_exceeded: [504],
  cancelled: [499],
  unauthenticated: [401],
  permission_denied: [403],
  rate_limited: [429],
  unavailable: [503],
  payload_too_large: [413],
  result_too_large: [500],
  internal: [500],
};

const PATH = "/rest";
const post = (body: Uint8Array, tool: string, accept = "application/json") => ({
  path: `${PATH}/tools/${encodeURIComponent(tool.toWellFormed())}`,
  headers: { "content-type": "application/json", accept },
  body,
});

/** See above. */
export const rest: WireDescription = {
  name: "REST",
  wire: restWire(),
  clients: [{
    name: "rest",
    path: PATH,
    open: restTransport,
    responseTypes: ["application/vnd.toolwire+json", "text/event-stream"],
    // The bodies of other callers than our client: arguments in, output out.
    dialect: {
      call: (tool, args) => post(jsonOf(args), tool),
      stream: (tool, args) => post(jsonOf(args), tool, "text/event-stream"),
      post: (body, tool = "echo") => post(encodeText(body), tool),
      read({ status, body }) {
        if (status === 204) return { kind: "answer", value: undefined };
        const json = JSON.parse(textOf(body));
        if (status === 200) return { kind: "answer", value: json };
        if (status === 202) return { kind: "other", what: "promise" };
        const { type, code, detail, data } = json;
        const [, kind] = type.split(":").slice(1);
        if (kind === "question") return { kind: "other", what: code };
        return kind === "failure" ? { kind, code, message: detail, data } : errorEnd(code, detail, data);
      },
    },
  }],
  without: { ids: "its requests have no ids" },
  invalidOptions: [
    [restWire, [{ path: "/x?y" }], /^Cannot serve REST: path must be like/],
    [restWire, [{ base: "/x" }], /there is no option "base"/],
    [restTransport, ["nope"], /^Cannot reach a REST server: pass a URL that begins with .*, not "nope"$/],
    [restTransport, ["http://x", { header: {} }], /there is no option "header"; did you mean "headers"\?$/],
  ],
};
