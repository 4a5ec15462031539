/** Guarantees of connections over WebSocket: the page has them in a list, with the tests that show them. */
import { type FaultGuarantee, renderFaults } from "./durable.ts";

const MESSAGES = "tests/wires/websocket/messages_test.ts";
const OPENING = "tests/wires/websocket/opening_test.ts";
const CLIENT = "tests/wires/websocket/client_test.ts";
const BEATS = "tests/wires/websocket/heartbeat_test.ts";
const UNANSWERED = "tests/wires/websocket/unanswered_close_full_test.ts";
const LATE = "tests/wires/websocket/late_close_test.ts";
const CUTS = "tests/wires/websocket/cuts_full_test.ts";

/** See {@link FaultGuarantee}. */
export const socketGuarantees: readonly FaultGuarantee[] = [
  {
    fault: "the connection is cut, at any byte",
    statement:
      "Each call ends with its answer or `unavailable`. Safe calls are repeated, promises redeemed; no other call runs twice.",
    tests: {
      [CUTS]: ["every call over a connection that is cut off"],
      [CLIENT]: ["a call that is safe to repeat", "does not run twice", "a promise is redeemed over the next socket"],
    },
  },
  {
    fault: "one side is silent",
    statement: "Heartbeats every 20 s; after 60 s of silence the connection ends.",
    tests: {
      [MESSAGES]: ["heartbeats are sent every 20 s", "a client that is silent for 60 s"],
      [BEATS]: ["a server that is silent for 60 s"],
    },
  },
  {
    fault: "a client does not read, or sends without reading",
    statement: "Handlers wait, no message is lost; it is closed after 30 s, or when `limits.bodyBytes` wait.",
    tests: {
      [MESSAGES]: [
        "a client that does not read waits with its calls",
        "a message that the runtime drops is sent again",
        "a client that sends without reading",
      ],
    },
  },
  {
    fault: "repeated and foreign ids, floods of tiny messages",
    statement: "Each answer has the id of its call; that of a running call is refused.",
    tests: {
      [MESSAGES]: ["calls are answered in any order", "a second call with the id", "100,000 tiny messages"],
      "tests/hostile/fuzz/fuzz_full_test.ts": ["for (const target of TARGETS)"],
    },
  },
  {
    fault: "binary, large and damaged messages",
    statement: "They close the connection (1003, 1009) or get an error; no tool runs.",
    tests: { [MESSAGES]: ["binary messages close with 1003", "is answered with an error, and the socket stays open"] },
  },
  {
    fault: "pages of other origins, tokens and cookies of others",
    statement:
      "`Host`, `Origin` and caller are checked before the socket is accepted. A token's end ends the connection.",
    tests: {
      [OPENING]: [
        "pages of other origins and other hosts",
        "callers are authenticated before the socket is accepted",
        "ignores the cookies of pages of other origins",
        "a socket is closed with 3000",
      ],
    },
  },
  {
    fault: "many connections, many calls of one",
    statement: "Refused over the bounds of all, of a caller, of a connection.",
    tests: {
      [OPENING]: ["connections are bounded", "many requests at once do not exceed the bound"],
      [MESSAGES]: ["more calls than maxInFlight"],
    },
  },
  {
    fault: "a hostile server sends messages of any kind",
    statement: "A call ends with its answer or an error. Unread pieces are bounded.",
    tests: { [CLIENT]: ["a server sends"], [BEATS]: ["events wait for a reader that is busy"] },
  },
  {
    fault: "on Deno, a client does not answer the close of the server",
    statement:
      "The connection stays open until the client disconnects or the server ends, since Deno has no way to drop it. It counts towards the " +
      "bounds until then.",
    tests: {
      [UNANSWERED]: ["a socket that Deno cannot end counts until its client has disconnected"],
      [LATE]: ["an ended connection"],
    },
  },
  {
    fault: "a message is too large for the server",
    statement:
      "Its own call gets `payload_too_large`; other calls of the connection are `unavailable`, and safe ones are repeated.",
    tests: { [CLIENT]: ["a message that is too large ends its call alone"] },
  },
  {
    fault: "the server shuts down",
    statement: "Calls under way are answered, others `unavailable`; the connection closes with 1012.",
    tests: { [MESSAGES]: ["a shutdown answers the calls under way"] },
  },
];

/** The section of the page. */
export function renderSockets(): string {
  const text = "The [WebSocket](websocket.md) wire.";
  return renderFaults("WebSocket", text, socketGuarantees);
}
