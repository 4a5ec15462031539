/**
 * Test helpers: a client without a network, recorded answers, a controllable clock, simulated replicas with faults, the contract of engines
 * as checks, and the conformance suite of MCP-lite and Webtools. Tests of tools need it, and authors of engines and servers.
 *
 * @example Test a tool
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const greet = defineTool("greet").describe("Greet the caller").handle((_, ctx) => `Hello ${ctx.principal?.id}`);
 * const ada = testClient(createServer({ tools: [greet] }), { principal: { id: "ada" } });
 * strictEqual(await ada.greet(), "Hello ada");
 * ```
 *
 * @module
 */
export { replayTransport } from "../testing/replay_transport.ts";
export { testClient, type TestClientOptions } from "../testing/test_client.ts";
export type { Clock } from "../internal/time.ts";
export { FakeClock } from "../testing/fake_clock.ts";
export {
  type ReplicaRecord,
  type ReplicaServer,
  type ReplicaSimulation,
  type ReplicaTransportOptions,
  simulateReplicas,
  type SimulateReplicasOptions,
} from "../testing/replicas.ts";
export type { Replica } from "../testing/replica.ts";
export type { ReplicaFaults } from "../testing/faults.ts";
export { type EngineCheck, engineSuite } from "../testing/engine_suite/suite.ts";
export type { EngineSuiteOptions, OpenedEngine } from "../testing/engine_suite/bench.ts";
export {
  type ConformanceBinding,
  type ConformanceCheck,
  type ConformanceResult,
  conformanceSuite,
} from "../testing/conformance/suite.ts";
export { formatJUnit } from "../testing/conformance/junit.ts";
export type { ConformanceLevel } from "../testing/conformance/check.ts";
export type { ConformanceOptions, ConformanceTarget, NamedTool } from "../testing/conformance/options.ts";
