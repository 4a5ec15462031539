/**
 * Test helpers: a client without a network, recorded answers, a controllable clock, simulated replicas with faults, the contract of engines as checks, and
 * the conformance suite of MCP-lite and Webtools.
 *
 * @module
 */
export { replayTransport } from "./replay_transport.ts";
export { testClient, type TestClientOptions } from "./test_client.ts";
export type { Clock } from "../internal/time.ts";
export { FakeClock } from "./fake_clock.ts";
export {
  type ReplicaRecord,
  type ReplicaServer,
  type ReplicaSimulation,
  type ReplicaTransportOptions,
  simulateReplicas,
  type SimulateReplicasOptions,
} from "./replicas.ts";
export type { Replica } from "./replica.ts";
export type { ReplicaFaults } from "./faults.ts";
export { type EngineCheck, engineSuite } from "./engine_suite/suite.ts";
export type { EngineSuiteOptions, OpenedEngine } from "./engine_suite/bench.ts";
export {
  type ConformanceBinding,
  type ConformanceCheck,
  type ConformanceResult,
  conformanceSuite,
} from "./conformance/suite.ts";
export { formatJUnit } from "./conformance/junit.ts";
export type { ConformanceLevel } from "./conformance/check.ts";
export type { ConformanceOptions, ConformanceTarget, NamedTool } from "./conformance/options.ts";
