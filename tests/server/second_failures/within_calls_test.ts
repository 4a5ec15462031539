/**
 * The second thing that goes wrong in what runs within a call: observers, listeners, keys and authentication of others. The call that
 * meets it gets an error of the contract, every other call is answered, and the first that is reported is the first cause.
 */
import { throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, keyRing } from "../../../mod.ts";
import type { TokenKeys } from "../../../src/core/token/token.ts";
import type { Auth, MountedAuth } from "../../../src/server/auth.ts";
import { mcp, mcpSessions } from "../../../src/entries/mcp.ts";
import { mcpLite } from "../../../src/wires/mcp_lite/server/mcp_lite.ts";
import type { CallObserver, RequestWire } from "../../../src/entries/wire.ts";
import { FIRST } from "./faulty.ts";
import { BOTH, type Faults, testFaults, THROWS } from "./test_faults.ts";

const CALL_OBSERVER: Faults<CallObserver> = { begin: BOTH, end: BOTH, refuse: BOTH, reply: BOTH };
const TOKEN_KEYS: Faults<TokenKeys> = { sign: THROWS, verify: THROWS };
const MOUNTED_AUTH: Faults<MountedAuth> = { answer: BOTH, challenge: THROWS };

/** A wire that observes the calls of its server. */
function observing(observer: CallObserver): RequestWire {
  return {
    name: "observing",
    mount(host) {
      host.dispatch.observer = observer;
      return { paths: ["/observing"], handle: () => ({ status: 204, headers: {}, body: null }) };
    },
  };
}

const createObserver = (): CallObserver => ({ begin: () => 1, end() {}, refuse() {}, reply() {} });
testFaults("CallObserver", CALL_OBSERVER, ["end", "reply"], createObserver, (observer) => ({
  wires: [mcpLite(), mcp({ sessions: mcpSessions(), ssePath: "/sse" }), observing(observer)],
}));

/** What middleware listens to: the types allow asynchronous functions, too. */
interface Heard {
  event(): unknown;
  promised(): unknown;
}

const createHeard = (): Heard => ({ event() {}, promised() {} });
testFaults<Heard>("MiddlewareCtx", { event: BOTH, promised: BOTH }, ["event", "promised"], createHeard, (heard) => ({
  middleware: [(ctx, next) => {
    ctx.onEvent(() => heard.event() as undefined);
    ctx.onPromised(() => heard.promised() as undefined);
    return next();
  }],
}));

const createKeys = (): TokenKeys => keyRing("k1:a secret of thirty-two bytes or more");
testFaults<TokenKeys>("TokenKeys", TOKEN_KEYS, ["verify"], createKeys, (keys) => ({ keys }));

const createMounted = (): MountedAuth => ({
  answer: (head, body, wire) => wire.handle(head, body),
  challenge: () => ({ "www-authenticate": "Own" }),
});
testFaults<MountedAuth>("MountedAuth", MOUNTED_AUTH, ["challenge"], createMounted, (mounted) => ({
  auth: { mount: () => mounted },
}));

test("Auth: mount() throws, and the server is not created", () => {
  const auth: Auth = {
    mount() {
      throw new Error(FIRST);
    },
  };
  throws(() => createServer({ tools: [defineTool("ping").describe("Answer").handle(() => 1)], auth }), {
    message: FIRST,
  });
});
