/**
 * The RPCs of a client by gRPC itself: one message in its envelope, messages back, and a status behind them.
 *
 * Not by Connect's transport, which costs several times what a call does.
 * Source: {@link https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md | gRPC over HTTP/2}.
 *
 * @module
 */
import { fromBinary } from "@bufbuild/protobuf";
import type { CallResult, ErrorResult, Sink, UnknownOutcome } from "../../../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../../core/call/transport.ts";
import {
  decodeToolResponseBytes,
  encodeRequestEnvelope,
  type ResponseMembers,
  type ToolRequestMembers,
} from "../../messages/binary.ts";
import { assertAnswered, assertOk } from "./status.ts";
import {
  BROKEN_OFF,
  type Endpoint,
  foreignAnswer,
  readBeginning,
  RECURSION_LIMIT,
  refusalOf,
  type Rpc,
  StreamedResponses,
  tooLarge,
} from "../rpc.ts";
import { connectionError, redirectError } from "../../../../http_client/send.ts";
import { decodeAnswer, decodeTool } from "../decode_reply.ts";
import { encodeEnvelope, type Envelope, readEnvelopes } from "../../messages/envelope.ts";
import { ToolsListSchema } from "../../messages/gen/mcplite_pb.ts";
import type { TlsClientOptions } from "../tls.ts";
import { type Http2Answer, Http2Connection, type Http2Head } from "./http2.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Takes a message of an answer; the next one waits for it. */
type Take = (message: Bytes) => void | Promise<void>;

const HEADERS = { "content-type": "application/grpc", te: "trailers" };

const EMPTY = encodeEnvelope(new Uint8Array());

/** Makes RPCs by gRPC, over one connection. */
export class NativeRpc implements Rpc {
  readonly #endpoint: Endpoint;
  readonly #connection: Http2Connection;
  readonly #path: string;

  /** @throws {TypeError} If the runtime has no `node:http2`. */
  constructor(endpoint: Endpoint, tls: TlsClientOptions | undefined) {
    const { origin, pathname } = endpoint.base;
    this.#endpoint = endpoint;
    this.#connection = new Http2Connection(origin, tls);
    this.#path = `${pathname.replace(/\/$/, "")}/mcplite.MCPLite/`;
  }

  close(): void {
    this.#connection.close();
  }

  async call(
    request: ToolRequestMembers,
    headers: Headers,
    limit: ActivityMonitor,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const body = encodeRequestEnvelope(request);
    if (sink === undefined) {
      return await this.#unary("CallTool", body, headers, limit, (message) => decodeAnswer(readResponse(message)));
    }
    const responses = new StreamedResponses(sink);
    const take = (message: Bytes) => responses.take(readResponse(message));
    return await this.#exchange("CallToolStream", body, headers, limit, take) ?? responses.ended;
  }

  list(headers: Headers, limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult> {
    return this.#unary("GetTools", EMPTY, headers, limit, (message) => {
      return fromBinary(ToolsListSchema, message, { recursionLimit: RECURSION_LIMIT }).tools.map(decodeTool);
    });
  }

  /** An RPC that is answered by one message. */
  async #unary<Answer>(
    method: string,
    body: Bytes,
    headers: Headers,
    limit: ActivityMonitor,
    decode: (message: Bytes) => Answer,
  ): Promise<Answer | ErrorResult> {
    let answer: Answer | undefined;
    const take = (message: Bytes): void => {
      if (answer !== undefined) throw new Error("More messages than one");
      answer = decode(message);
    };
    return await this.#exchange(method, body, headers, limit, take) ?? answer ?? BROKEN_OFF;
  }

  /** Makes one RPC, and turns whatever goes wrong on the way into a refusal; `undefined` if it went well. */
  async #exchange(
    method: string,
    body: Bytes,
    headers: Headers,
    limit: ActivityMonitor,
    take: Take,
  ): Promise<ErrorResult | undefined> {
    const { base: { origin, search }, maxBytes } = this.#endpoint;
    const path = this.#path + method + search;
    let answer: Http2Answer | undefined;
    let head: Http2Head;
    const leave = () => answer?.leave();
    try {
      limit.signal.throwIfAborted();
      answer = this.#connection.post(path, { ...Object.fromEntries(headers), ...HEADERS }, body);
      limit.signal.addEventListener("abort", leave, { once: true });
      head = await answer.head;
    } catch (thrown) {
      limit.signal.removeEventListener("abort", leave);
      return connectionError(explained(thrown), `POST ${origin}${path}`);
    }
    try {
      limit.markActive();
      if (isRedirect(head)) return redirectError(`POST ${origin}${path}`, head.location);
      if (isForeign(head)) {
        const text = await readBeginning(readPieces(answer, limit, maxBytes));
        return foreignAnswer({ url: origin + path, status: head[":status"] ?? 0, text });
      }
      assertAnswered(head);
      for await (const envelope of readEnvelopes(readPieces(answer, limit, maxBytes), maxBytes)) {
        const taken = take(open(envelope, maxBytes));
        if (taken !== undefined) await taken;
      }
      assertOk(answer.trailers, head);
      return undefined;
    } catch (thrown) {
      return thrown instanceof Refused ? thrown.refusal : refusalOf(thrown);
    } finally {
      limit.signal.removeEventListener("abort", leave);
      leave();
    }
  }
}

/** A refusal on its way out. */
class Refused extends Error {
  readonly refusal: ErrorResult;

  constructor(refusal: ErrorResult) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** What answers in HTTP/1.1 breaks the protocol before there is an answer. */
function explained(thrown: unknown): unknown {
  if (!(thrown instanceof Error && /protocol error/i.test(thrown.message))) return thrown;
  return new Error(`${thrown.message}. Does it speak HTTP/2 there? gRPC may have a port of its own`, { cause: thrown });
}

function isRedirect({ ":status": status = 0 }: Http2Head): boolean {
  return status >= 300 && status < 400;
}

/** Whether an answer is not gRPC's, by its status and type; one without a status is nobody's. */
function isForeign({ ":status": status, "content-type": type = "" }: Http2Head): boolean {
  return status !== undefined && (status !== 200 || !/^application\/grpc\b(?!-web)/i.test(type));
}

async function* readPieces(
  answer: Http2Answer,
  limit: ActivityMonitor,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const piece of answer.pieces()) {
    limit.suspend();
    length += piece.length;
    if (length > maxBytes) throw new Refused(tooLarge(maxBytes));
    yield piece;
    limit.markActive();
  }
}

function open(envelope: Envelope | ErrorResult, maxBytes: number): Bytes {
  if ("kind" in envelope) throw new Refused(envelope.code === "payload_too_large" ? tooLarge(maxBytes) : BROKEN_OFF);
  if (envelope.isCompressed) throw new Error("A message is compressed, which was not asked for");
  return envelope.message;
}

function readResponse(message: Bytes): ResponseMembers {
  const response = decodeToolResponseBytes(message, RECURSION_LIMIT);
  if ("kind" in response) throw new Error(response.message);
  return response;
}
