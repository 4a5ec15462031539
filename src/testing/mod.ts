/**
 * Test helpers for tools: a client without a network, a controllable clock, and simulated replicas with faults.
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
