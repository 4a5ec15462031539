/** A `fetch` to a correct server, whose responses are damaged on the way. */
import { SseDecoder } from "../../../src/http_client/sse.ts";
import { concat, cut, mutateBytes } from "../fuzz/bytes.ts";
import type { RandomChoices } from "../fuzz/random.ts";
import { heavy, mutateMany, write } from "../fuzz/json.ts";
import { setHeader } from "../fuzz/requests.ts";
import type { Fetch } from "../../wires/descriptions/description.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

const STATUSES = [200, 200, 201, 202, 204, 301, 304, 400, 401, 404, 409, 429, 499, 500, 502, 503, 504] as const;

const HEADERS = [
  ["content-type", "text/html"],
  ["content-type", "text/event-stream"],
  ["content-type", "application/json"],
  ["content-type", ""],
  ["content-encoding", "x"],
  ["retry-after", "99999999999"],
  ["retry-after", "-1"],
  ["retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"],
  ["retry-after", "x"],
  ["location", "https://evil.example"],
  ["content-length", "3"],
  ["mcp-session-id", "x"],
  ["grpc-status", "99"],
  ["grpc-status", "-1"],
  ["grpc-message", "%zz%"],
  ["grpc-status-details-bin", "AAAA"],
  ["etag", "x"],
] as const;

/** How the answers of one case are damaged. */
export interface Corruption {
  /** Which answer of the case. */
  readonly at: number;
  /** In words. */
  readonly name: string;
  /** Returns the damaged answer. */
  damage(random: RandomChoices, answer: Answer): Answer;
}

/** An answer, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Bytes;
  /** Whether it breaks off at its end. */
  readonly breaks?: boolean;
}

/** Cut into pieces anywhere, but true. */
export const UNCHANGED: Corruption = { at: -1, name: "nothing but cuts", damage: (_, answer) => answer };

const DAMAGES: readonly Omit<Corruption, "at">[] = [
  { name: "bytes", damage: (random, answer) => ({ ...answer, body: mutateBytes(random, answer.body, answer.body) }) },
  { name: "JSON", damage: damageJson },
  { name: "JSON", damage: damageJson },
  { name: "JSON", damage: damageJson },
  { name: "status", damage: (random, answer) => ({ ...answer, status: random.pick(STATUSES) }) },
  { name: "header", damage: damageHeader },
  {
    name: "breaks off",
    damage: (random, answer) => ({
      ...answer,
      body: answer.body.slice(0, random.below(answer.body.length)),
      breaks: true,
    }),
  },
  { name: "noise", damage: (random, answer) => ({ ...answer, body: random.bytes(random.below(300)) }) },
  { name: "nothing", damage: (_, answer) => ({ ...answer, body: new Uint8Array() }) },
  {
    name: "an HTML page",
    damage: (_, answer) => ({ ...answer, body: encoder.encode("<!doctype html><h1>Bad gateway</h1>") }),
  },
  {
    name: "status and JSON",
    damage: (random, answer) => ({ ...damageJson(random, answer), status: random.pick(STATUSES) }),
  },
];

/** Any corruption. */
export function randomCorruption(random: RandomChoices): Corruption {
  return random.oneIn(12) ? UNCHANGED : { at: random.pick([0, 0, 0, 1, 1, 2]), ...random.pick(DAMAGES) };
}

function damageHeader(random: RandomChoices, answer: Answer): Answer {
  const headers = new Headers(answer.headers);
  setHeader(headers, ...random.pick<readonly [string, string]>(HEADERS));
  return { ...answer, headers };
}

/** Of a stream the events, or one of them; else all of it. What holds no JSON is damaged as bytes. */
function damageJson(random: RandomChoices, answer: Answer): Answer {
  const text = new TextDecoder().decode(answer.body);
  if (answer.headers.get("content-type") === "text/event-stream") {
    return { ...answer, body: encoder.encode(damageEvents(random, text)) };
  }
  try {
    return { ...answer, body: encoder.encode(damageText(random, text)) };
  } catch {
    return { ...answer, body: damageFrames(random, answer.body) };
  }
}

/** @throws {SyntaxError} If it is not JSON. */
function damageText(random: RandomChoices, text: string): string {
  const truth: unknown = JSON.parse(text);
  if (!random.oneIn(60)) return write(mutateMany(random, truth, truth));
  const part = heavy(random, 500_000);
  const { result, ...rest } = { result: {}, ...(truth as object) };
  return write(
    random.pick<unknown>([part, { ...rest, result: part }, { ...rest, result: { ...result, content: part } }]),
  );
}

function damageEvents(random: RandomChoices, text: string): string {
  const events = new SseDecoder().decode(text).map(({ event, data }) => {
    return `event: ${event}\ndata: ${random.oneIn(2) ? damageText(random, data) : data}`;
  });
  const one = random.below(events.length + 1);
  const odd = [
    "data",
    "event: done",
    ": comment",
    "retry: 99999999",
    "id: \0",
    "data:{",
    "data: \ndata: ",
    "event\ndata: {}",
  ];
  const changed = random.pick([
    events,
    events.toSpliced(one, 1),
    [...events, ...events],
    events.toReversed(),
    events.toSpliced(one, 0, random.pick(odd)),
    Array.from({ length: 500 }, () => events[0] ?? ""),
  ]);
  const end = random.pick(["\n", "\n", "\r\n", "\r"]);
  return changed.map((event) => `${event.replaceAll("\n", end)}${end}${random.oneIn(20) ? "" : end}`).join("");
}

/** Envelopes with other flags, of other lengths, doubled or dropped. */
function damageFrames(random: RandomChoices, bytes: Bytes): Bytes {
  const copy = concat(bytes);
  switch (random.below(5)) {
    case 0:
      if (copy.length > 0) copy[0] = random.below(256);
      return copy;
    case 1:
      if (copy.length > 4) {
        new DataView(copy.buffer).setUint32(1, random.pick([0, 1, copy.length, 2 ** 31, 2 ** 32 - 1]));
      }
      return copy;
    case 2:
      return concat(bytes, bytes);
    default:
      return mutateBytes(random, bytes, bytes);
  }
}

/** A `fetch` that lies. The random are its own: how often it is asked is the client's business. */
export function corruptingFetch(random: RandomChoices, truth: Fetch, corruption: Corruption): Fetch {
  let count = 0;
  return async (url, init) => {
    const at = count++;
    const response = await truth(url, init);
    const body = new Uint8Array(await response.arrayBuffer());
    const answer: Answer = { status: response.status, headers: response.headers, body };
    return toResponse(random, at === corruption.at ? corruption.damage(random, answer) : answer);
  };
}

function toResponse(random: RandomChoices, { status, headers, body, breaks = false }: Answer): Response {
  if ([204, 304].includes(status)) return new Response(null, { status, headers });
  const pieces = cut(random, body);
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (breaks) controller.error(new TypeError("The network broke"));
      else controller.close();
    },
  });
  return new Response(stream, { status, headers });
}
