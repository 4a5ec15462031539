/**
 * The second thing that goes wrong: a method of a plug-in fails once, and then the clean-up after it fails, too. Nothing hangs, nothing
 * is left behind, no exception is unhandled, the caller gets an error of the contract, and the first that is reported is the first cause.
 *
 * The tables name every method of the contracts: one that is added to a contract does not compile here until it has its row.
 */
import { memoryEngine } from "../../../mod.ts";
import { type ChangeBus, memoryBus } from "../../../src/core/call/changes.ts";
import type { Engine } from "../../../src/core/dispatch/engine.ts";
import { withPromises } from "../../../src/entries/engines.ts";
import { memoryRateLimitStore, rateLimit, type RateLimitStore } from "../../../src/entries/middleware.ts";
import { mcp, mcpSessions, memorySessionStore, type SessionStore } from "../../../src/entries/mcp.ts";
import { mcpLite } from "../../../src/wires/mcp_lite/server/mcp_lite.ts";
import { BOTH, type Faults, testFaults, THROWS } from "./test_faults.ts";

const ENGINE: Faults<Engine> = {
  prepare: BOTH,
  insert: BOTH,
  get: BOTH,
  replace: BOTH,
  appendLedger: BOTH,
  readLedger: BOTH,
  // Only after a failure: it is among the clean-ups.
  remove: [],
  subscribe: THROWS,
  schedule: BOTH,
  lease: BOTH,
  work: THROWS,
  list: BOTH,
  close: BOTH,
};
const CHANGE_BUS: Faults<ChangeBus> = { publish: BOTH, subscribe: THROWS, close: BOTH };
const RATE_LIMIT_STORE: Faults<RateLimitStore> = { take: BOTH, close: BOTH };
const SESSION_STORE: Faults<SessionStore> = {
  put: BOTH,
  get: BOTH,
  delete: BOTH,
  append: BOTH,
  read: BOTH,
  drop: BOTH,
  publish: BOTH,
  subscribe: THROWS,
  close: BOTH,
};

testFaults("Engine", ENGINE, ["remove", "close"], ({ time }) => {
  return Object.assign(memoryEngine({ clock: time }), { prepare: () => Promise.resolve() });
}, (engine) => ({ engine: withPromises(engine) }));
testFaults("ChangeBus", CHANGE_BUS, ["close"], () => ({ ...memoryBus(), close: () => {} }), (changes) => ({ changes }));
const createBuckets = () => ({ ...memoryRateLimitStore(), close: () => {} });
testFaults("RateLimitStore", RATE_LIMIT_STORE, ["close"], createBuckets, (store) => ({
  middleware: [rateLimit({ perSecond: 1_000, store })],
}));
const createStore = () => Object.assign(memorySessionStore(), { drop: () => {}, close: () => {} });
testFaults("SessionStore", SESSION_STORE, ["delete", "drop", "close"], createStore, (store) => ({
  wires: [mcpLite(), mcp({ sessions: mcpSessions({ store }), ssePath: "/sse" })],
}));
