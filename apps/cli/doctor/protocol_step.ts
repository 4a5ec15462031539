/** The step `protocol`: which protocol answers, and what a page, an old server or an unknown version is. */
import { isJsonObject } from "../../../src/internal/json.ts";
import { shorten } from "../../../src/internal/text.ts";
import { isLegacyVersion, LEGACY_VERSIONS, MODERN_VERSION } from "../../../src/wires/mcp/protocol/constants.ts";
import { baseOf } from "../targets/wires.ts";
import type { Subject } from "./http_steps.ts";
import { probe, type Probed } from "./probe.ts";
import { failed, type StepResult } from "./steps.ts";

/** Common paths of endpoints, to be suggested. */
const COMMON_PATHS = ["/mcp", "/mcp-lite/v1", "/sse"];

/**
 * Step `protocol`: explains why no known protocol answers: a redirect, an unknown version, a web page, the old SSE transport.
 * May send more requests, to suggest a URL. `undefined` if the first response does not show a reason.
 *
 * @param first Response to `initialize` of MCP.
 */
export async function explainProtocol(subject: Subject, first: Probed): Promise<StepResult | undefined> {
  const { status, headers } = first;
  const type = headers["content-type"] ?? "";
  if (status >= 300 && status < 400) {
    return failed(`The server redirects to ${headers["location"]}`, `Use the address ${headers["location"]}`);
  }
  const version = versionOf(first);
  if (version !== undefined && !isLegacyVersion(version) && version !== MODERN_VERSION) {
    return failed(
      `The server answers with MCP ${JSON.stringify(version)}`,
      `Use a server of one of the versions ${[MODERN_VERSION, ...LEGACY_VERSIONS].join(", ")}`,
    );
  }
  if (/^text\/html/i.test(type)) {
    const others = await findEndpoints(subject);
    const remedy = others.length === 0
      ? "Use the URL of the endpoint, which often ends in /mcp"
      : `Try ${others.join(" or ")}`;
    return failed(`A web page answers (status ${status})`, remedy);
  }
  return status === 404 || status === 405 ? await findOldServer(subject) : undefined;
}

/** Whether the server has the transport of 2024-11-05: a stream by GET, whose first event names the address for messages. */
async function findOldServer({ url, headers, timeoutMs }: Subject): Promise<StepResult | undefined> {
  const { status, headers: { "content-type": type = "" }, text } = await probe(url, {
    headers: { ...headers, accept: "text/event-stream" },
    timeoutMs,
  });
  if (status !== 200 || !/^text\/event-stream/i.test(type) || !/^event: ?endpoint$/m.test(text)) return undefined;
  return failed(
    "The server has the HTTP+SSE transport of 2024-11-05 alone, which MCP has replaced",
    "Update the server to Streamable HTTP; until then a bridge, such as npx -y mcp-remote, can be the target: -- npx -y mcp-remote " +
      url.href,
  );
}

/** Common paths of the same server where an endpoint answers with JSON. They are asked without credentials, which are for the URL alone. */
async function findEndpoints({ url, timeoutMs }: Subject): Promise<string[]> {
  const addresses = COMMON_PATHS.map((path) => new URL(baseOf(url) + path));
  const found = await Promise.all(
    addresses.filter(({ pathname }) => pathname !== url.pathname).map(async (address) => {
      const request = {
        method: "POST" as const,
        headers: { "content-type": "application/json" },
        body: "{}",
        timeoutMs,
      };
      const answered = await probe(address, request).catch(() => undefined);
      return /json|event-stream/.test(answered?.headers["content-type"] ?? "") ? [address.href] : [];
    }),
  );
  return found.flat();
}

/** The version in a response to `initialize`, as JSON or as an event. */
function versionOf({ text }: Probed): string | undefined {
  const json = /^data: ?(.*)$/m.exec(text)?.[1] ?? text;
  try {
    const { result }: { readonly result?: unknown } = JSON.parse(json);
    const version = isJsonObject(result) ? result["protocolVersion"] : undefined;
    return typeof version === "string" ? shorten(version, 40) : undefined;
  } catch {
    return undefined;
  }
}
