/** Takes values for waits of handlers over HTTP: the path for webhooks and for links in messages. */
import type { ErrorResult } from "../../core/call/outcome.ts";
import { errorResult } from "../../core/call/outcome.ts";
import type { OpenWait, WaitEndpoint, WaitResolution } from "../../core/dispatch/deferral.ts";
import type { Resolution } from "../../core/handler/waits.ts";
import { compileCheck } from "../../core/json_schema/check.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { Metadata } from "../../core/call/call.ts";
import { Future, type MaybeFuture } from "../../internal/future.ts";
import { isJsonObject } from "../../internal/json.ts";
import { BOOLEAN, checkOptions, FUNCTION, PATH, required, rule } from "../../internal/options.ts";
import { parseJson } from "../../wires/framing/json_rpc/decode.ts";
import { JSON_HEADERS, jsonReply, mediaTypeError, retryAfterHeader } from "../../wires/framing/http.ts";
import type { Body, Head, MountedWire, Reply, RequestWire, WireHost } from "../../wires/wire.ts";
import { readForm } from "./resolver_form.ts";
import { describeIssues, endPage, formPage } from "./resolver_page.ts";
import { normalizePath } from "../../internal/http.ts";

/** Options of {@link resolver}. */
export interface ResolverOptions {
  /** URL of the path, as other services reach it, such as `https://tools.example.com/resolve`. `ctx.resolver` makes its URLs of it. */
  readonly url: string;
  /** Path on this server, below its `basePath`. Default: the path of `url`. */
  readonly path?: string | undefined;
  /**
   * Checks the signature of a webhook, whose `body` has the bytes that were sent, before its token is looked at. `false`, or an
   * exception, refuses the request with 401. Default: the token suffices.
   */
  readonly verify?: ((body: Uint8Array, headers: Metadata) => MaybePromise<boolean>) | undefined;
  /** Whether another value after the first is answered with 409 in place of 200, which some services send again. Default: `false`. */
  readonly strict?: boolean | undefined;
  /**
   * Whether `GET` of a link answers a page for people, with a form made of the schema of the wait, its `title` and its `description`.
   * Its form has no signature, so that `true` and `verify` exclude each other. Default: `true`, or `false` with `verify`.
   */
  readonly page?: boolean | undefined;
}

/** Rule of the option `url`. */
const URL_RULE = rule("an absolute URL, such as https://tools.example.com/resolve", (value) => {
  return typeof value === "string" && /^https?:\/\/[^/?#]+[^?#]*$/.test(value) && URL.canParse(value);
});

/**
 * Creates a wire that resolves waits of handlers, `ctx.waitFor`. `POST <url>/<token>` takes the value as JSON; so does `POST <url>`
 * with `authorization: Bearer <token>`, or with the body `{ "token", "value" }` or `{ "token", "decline": "reason" }`. `GET` never
 * resolves, because previews of messages open links: it answers a page with a form. It needs no authentication but the token.
 *
 * With this wire, values are checked against the schema of the wait where they arrive, also those of `server.resolve`.
 *
 * @example An approval by a webhook
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { resolver } from "jsr:@toolwire/toolwire/waits";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const mails: string[] = [];
 * const order = defineTool("order").describe("Order what was approved").promise().handle(async (_, ctx) => {
 *   const { url = "" } = await ctx.resolver("approval");
 *   await ctx.step("mail", () => mails.push(url));
 *   const approval = await ctx.waitFor("approval", v.object({ ok: v.boolean() }));
 *   return approval.action === "accept" && approval.content.ok ? "ordered" : "not ordered";
 * });
 * const server = createServer({ tools: [order], wires: [resolver({ url: "https://tools.example.com/resolve" })] });
 * const client = testClient(server);
 *
 * const work = await client.order.start();
 * while (mails.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
 * const request = new Request(mails[0]!, {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"ok":true}',
 * });
 * console.log((await server.fetch(request)).status); // → 202
 * console.log(await work.result()); // → ordered
 * await server.close();
 * ```
 * @throws {TypeError} If `url` is missing or no absolute URL, an option is invalid or unknown, or `page` is `true` with `verify`.
 */
export function resolver(options: ResolverOptions): RequestWire {
  checkOptions<ResolverOptions>("take values for waits", options, {
    url: required(URL_RULE),
    path: PATH,
    verify: FUNCTION,
    strict: BOOLEAN,
    page: BOOLEAN,
  });
  if (options.page && options.verify !== undefined) {
    throw new TypeError(
      "Cannot take values for waits: page: true and verify exclude each other; a form has no signature. Leave out one of them, or mount two resolvers",
    );
  }
  const url = options.url.replace(/\/+$/, "");
  const { path = new URL(url).pathname } = options;
  return {
    name: "resolver",
    "~waitEndpoint": { url, check: checkValue },
    mount: (host) => new ResolverPage(host, normalizePath(path), options),
  };
}

const checkValue: WaitEndpoint["check"] = (schema, value) => {
  const problems = compileCheck(schema)(value);
  if (problems.length === 0) return undefined;
  return problems.map(({ path, expected }) => ({
    path: path.map(String),
    expected,
    received: "",
    message: `must be ${expected}`,
  }));
};

/** Status of each reason of a refusal. */
const STATUSES: Readonly<Record<(Resolution & { readonly resolved: false })["reason"], number>> = {
  resolved: 200,
  refused: 422,
  timeout: 410,
  expired: 410,
  cancelled: 410,
  over: 410,
  lost: 410,
};

/** Status of each error; others are 500. */
const ERROR_STATUSES: Readonly<Record<string, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  invalid_promise: 404,
  payload_too_large: 413,
  invalid_input: 422,
  unavailable: 503,
};

/** A token with its value. */
interface DeliveredValue {
  readonly token: string;
  readonly resolution: WaitResolution;
}

const NOT_A_RESOLVER = errorResult("invalid_promise", "Not a resolver token of this server");

/** Takes values for waits over HTTP, by their tokens. */
class ResolverPage implements MountedWire {
  readonly paths: readonly string[];
  readonly unauthenticatedPaths: readonly string[];
  readonly #host: WireHost;
  readonly #path: string;
  readonly #options: ResolverOptions;

  constructor(host: WireHost, path: string, options: ResolverOptions) {
    this.#host = host;
    this.#path = path;
    this.#options = options;
    this.paths = this.unauthenticatedPaths = [path, `${path}/*`];
  }

  handle(head: Head, body: Body): MaybeFuture<Reply> {
    const { page = this.#options.verify === undefined } = this.#options;
    const token = page ? head.path.slice(this.#path.length + 1) : "";
    if ((head.method === "GET" || head.method === "HEAD") && token !== "") return Future.of(this.#readPage(token));
    if (head.method !== "POST") return NOT_ALLOWED;
    const isForm = token !== "" && FORM_TYPE.test(head.metadata.get("content-type") ?? "");
    return body.bytes().map((bytes) => {
      if ("kind" in bytes) return errorReply(bytes);
      return Future.of(isForm ? this.#resolveForm(token, bytes) : this.#resolve(head, bytes));
    });
  }

  /** The page of a link: its form, or how the wait has ended. */
  async #readPage(token: string): Promise<Reply> {
    const found = await this.#readWait(token);
    return "key" in found ? formPage(found) : this.#endPage(found);
  }

  async #readWait(token: string): Promise<OpenWait | Resolution | ErrorResult> {
    return await this.#host.dispatch.deferral?.readWait(token) ?? NOT_A_RESOLVER;
  }

  async #settle(token: string, resolution: WaitResolution): Promise<Resolution | ErrorResult> {
    return await this.#host.dispatch.deferral?.resolve(token, resolution) ?? NOT_A_RESOLVER;
  }

  async #resolveForm(token: string, bytes: Uint8Array): Promise<Reply> {
    const found = await this.#readWait(token);
    if (!("key" in found)) return this.#endPage(found);
    if (found.schema === undefined) return formPage(found, 409);
    const form = readForm(new TextDecoder().decode(bytes), found.schema, this.#host.limits.depth);
    const result = await this.#settle(
      token,
      form.isDeclined ? { done: "decline" } : { done: "accept", content: form.value },
    );
    const isMisfit = "kind" in result && result.code === "invalid_input";
    return isMisfit ? formPage(found, 422, describeIssues(result)) : this.#endPage(result);
  }

  #endPage(result: Resolution | ErrorResult): Reply {
    if (!("kind" in result)) return endPage(result, this.#statusOf(result));
    return endPage(result, ERROR_STATUSES[result.code] ?? 500, retryAfterHeader(result.data));
  }

  errorReply(_head: Head, error: ErrorResult, status?: number): Reply {
    return errorReply(error, status);
  }

  async #resolve(head: Head, bytes: Uint8Array): Promise<Reply> {
    if (!await this.#isVerified(head, bytes)) {
      return errorReply(errorResult("unauthenticated", "The signature of the request is not valid"));
    }
    const typeError = bytes.length === 0 ? undefined : mediaTypeError(head.metadata);
    const delivered = typeError ?? this.#read(head, bytes);
    if ("kind" in delivered) return errorReply(delivered, delivered === typeError ? 415 : undefined);
    const result = await this.#settle(delivered.token, delivered.resolution);
    return "kind" in result ? errorReply(result) : this.#reply(result);
  }

  async #isVerified({ metadata, path }: Head, bytes: Uint8Array): Promise<boolean> {
    const { verify } = this.#options;
    try {
      return verify === undefined || await verify(bytes, metadata) === true;
    } catch (thrown) {
      this.#host.dispatch.mask(thrown, { path: path.slice(0, this.#path.length) });
      return false;
    }
  }

  /** Reads token and value: of the path, the header, or the body. */
  #read({ path, metadata }: Head, bytes: Uint8Array): DeliveredValue | ErrorResult {
    const parsed = bytes.length === 0 ? { value: null } : readJson(bytes, this.#host.limits.depth);
    if ("error" in parsed) return parsed.error;
    const { value } = parsed;
    const [, bearer] = /^Bearer +(\S+)$/i.exec(metadata.get("authorization") ?? "") ?? [];
    const token = path.slice(this.#path.length + 1) || bearer;
    return token ? { token, resolution: { done: "accept", content: value } } : readEnvelope(value);
  }

  #reply(result: Resolution): Reply {
    return jsonReply(this.#statusOf(result), JSON.stringify(result));
  }

  #statusOf(result: Resolution): number {
    if (result.resolved) return result.repeated ? 200 : 202;
    return result.reason === "resolved" && this.#options.strict ? 409 : STATUSES[result.reason];
  }
}

/** Parses a body. Nesting is limited before it is parsed: deep values block some runtimes when they are stored. */
function readJson(bytes: Uint8Array, maxDepth: number): ReturnType<typeof parseJson> {
  const invalid = { error: errorResult("invalid_request", "The body must be JSON in UTF-8") };
  try {
    const parsed = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes), maxDepth);
    return "error" in parsed && parsed.error.code === "parse_error" ? invalid : parsed;
  } catch {
    return invalid;
  }
}

function readEnvelope(body: unknown): DeliveredValue | ErrorResult {
  if (isJsonObject(body) && typeof body["token"] === "string") {
    const { token, value, decline } = body;
    if (decline === undefined) return { token, resolution: { done: "accept", content: value } };
    return { token, resolution: { done: "decline", ...(typeof decline === "string" && { reason: decline }) } };
  }
  return errorResult(
    "invalid_request",
    'Send the token in the path, as "authorization: Bearer …", or as { "token", "value" }',
  );
}

/** Media type of a form that a page has posted. */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

const NOT_ALLOWED: Reply = {
  status: 405,
  headers: { ...JSON_HEADERS, allow: "POST" },
  body: '{"error":{"code":"invalid_request","message":"Only POST resolves"}}',
};

function errorReply(error: ErrorResult, status: number = ERROR_STATUSES[error.code] ?? 500): Reply {
  const { code, message, data } = error;
  const body = JSON.stringify({ error: { code, message, ...(isJsonObject(data) && data) } });
  return { status, headers: { ...JSON_HEADERS, ...retryAfterHeader(data) }, body };
}
