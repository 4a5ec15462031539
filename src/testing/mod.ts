/**
 * Test helpers: a client without a network, a controllable clock, simulated replicas with faults, and the contract of engines as checks.
 *
 * @module
 */
export { testClient, type TestClientOptions } from "./test_client.ts";
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
