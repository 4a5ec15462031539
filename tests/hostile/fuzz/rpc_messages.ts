/** Requests of `mcplite.MCPLite`, right and damaged, in JSON and in bytes, in envelopes and without. */
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { ErrorInfoSchema } from "../../../src/wires/grpc/messages/gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../../src/wires/grpc/messages/gen/google/rpc/status_pb.ts";
import { ToolRequestSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { frame, gzipped } from "../../wires/grpc/frames.ts";
import { concat, mutateBytes } from "./bytes.ts";
import type { RandomChoices } from "./random.ts";
import { CALLS, heavyCall, METAS } from "../fixture_server.ts";
import { heavy, type Members, oddValue, type Raw, write } from "./json.ts";
import { jsonBody } from "./requests.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** What a right request says. */
export function rightRequest(random: RandomChoices): Members {
  return { ...random.pick(CALLS), ...(random.oneIn(5) && { meta: random.pick(METAS) }) };
}

/** A message in JSON. */
export function jsonMessage(random: RandomChoices): Bytes {
  const right = rightRequest(random);
  return jsonBody(random, right, rightRequest(random), (part) =>
    random.pick<() => unknown>([
      () => part,
      () => ({ ...right, meta: part }),
      () => ({ ...right, name: part }),
      () => heavyCall(random, part),
      () => heavyCall(random, part),
      () => heavyCall(random, part),
    ])());
}

/** A message in bytes. */
export function binaryMessage(random: RandomChoices): Bytes {
  if (random.oneIn(50)) return heavyBinary(random, heavy(random, random.pick([60_000, 500_000, 1_000_000])));
  const right = encodeRequest(rightRequest(random));
  switch (random.below(8)) {
    case 0:
      return random.bytes(random.below(100));
    case 1:
      return deepMessage(random.pick([2, 100, 200, 510, 511, 512, 513, 600, 1_200]));
    case 2:
      return right;
    case 3:
      // Whatever comes again adds to what came before, or takes its place.
      return concat(right, encodeRequest(rightRequest(random)));
    default:
      return mutateBytes(random, right, encodeRequest(rightRequest(random)));
  }
}

function encodeRequest(request: Members): Bytes {
  const { name, arguments: args, meta } = request as {
    readonly name: string;
    readonly arguments: JsonObject;
    readonly meta?: JsonObject;
  };
  return concat(
    toBinary(ToolRequestSchema, create(ToolRequestSchema, { name, arguments: args, ...(meta && { meta }) })),
  );
}

function heavyBinary(random: RandomChoices, part: Raw): Bytes {
  try {
    const { name, arguments: args } = heavyCall(random, JSON.parse(part.json) as unknown);
    return encodeRequest({ name, arguments: args as JsonObject });
  } catch {
    // Not all JSON can be a struct.
    return encoder.encode(write(oddValue(random)));
  }
}

/** Lists in lists, in a struct, of `echo`. */
export function deepMessage(depth: number): Bytes {
  const wrap = (tag: number, inner: Uint8Array) => concat(new Uint8Array([tag, ...varint(inner.length)]), inner);
  let value: Uint8Array = new Uint8Array([0x20, 1]);
  for (let level = 0; level < depth; level++) value = wrap(0x32, wrap(0x0a, value));
  const entry = concat(new Uint8Array([0x0a, 1, 0x76]), wrap(0x12, value));
  return concat(new Uint8Array([0x0a, 4, ...encoder.encode("echo")]), wrap(0x12, wrap(0x0a, entry)));
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}

/** Some messages, compressed by gzip. */
export interface Zips {
  readonly letters: Bytes;
  readonly request: Bytes;
  /** Twenty megabytes. */
  readonly bomb: Bytes;
}

/** Makes them: when a target opens, since not every host can while modules load. */
export async function makeZips(): Promise<Zips> {
  const [letters, request, bomb] = await Promise.all([
    gzipped("x".repeat(100)),
    gzipped(new TextDecoder().decode(encodeRequest(CALLS[1] as Members))),
    gzipped("\0".repeat(20_000_000)),
  ]);
  return { letters, request, bomb };
}

/** Puts a message into its envelope, or into one that is wrong. */
export function envelope(random: RandomChoices, message: Bytes, { letters, request, bomb }: Zips): Bytes {
  switch (random.below(16)) {
    case 0:
      return frame(message, random.below(256));
    case 1: {
      const framed = frame(message);
      const length = random.pick([0, 1, message.length + 1, message.length - 1, 2 ** 20 + 1, 2 ** 31, 2 ** 32 - 1]);
      new DataView(framed.buffer).setUint32(1, Math.max(0, length));
      return framed;
    }
    case 2:
      return mutateBytes(random, frame(message), letters);
    case 3:
      return concat(frame(message), frame(message));
    case 4:
      return concat(frame(message), random.bytes(1 + random.below(20)));
    case 5:
      return random.bytes(random.below(64));
    case 6:
      return frame(random.pick([bomb, letters, request, letters.slice(0, random.below(letters.length)), message]), 1);
    default:
      return frame(message);
  }
}

/** Headers that say something odd of a message, or of how long it may take. */
export function oddRpcHeader(random: RandomChoices): readonly [name: string, value: string] {
  return random.pick([
    ["grpc-encoding", random.pick(["gzip", "gzip", "snappy", "br", "gzip, gzip", "x"])],
    ["connect-content-encoding", random.pick(["gzip", "br", ""])],
    ["content-encoding", random.pick(["gzip", "identity", "br"])],
    [
      "grpc-timeout",
      random.pick(["0S", "1n", "99999999H", "-1S", "999999999S", "1", "S", "1X", "1.5S", "1e3m", "NaN", ""]),
    ],
    ["connect-timeout-ms", random.pick(["0", "1", "99999999999", "-1", "1.5", "x", ""])],
    ["connect-protocol-version", random.pick(["1", "2", ""])],
  ]);
}

/** Our code, out of the details of a gRPC status in base64; `undefined` if it has none. */
export function reasonOf(detailsBase64: string | undefined): string | undefined {
  if (detailsBase64 === undefined) return undefined;
  const bytes = Uint8Array.from(atob(detailsBase64), (char) => char.charCodeAt(0));
  const info = fromBinary(StatusSchema, bytes).details.find(({ typeUrl }) => typeUrl.endsWith("/google.rpc.ErrorInfo"));
  return info === undefined ? undefined : fromBinary(ErrorInfoSchema, info.value).reason;
}
