/**
 * For tests of tools: a client without a network, a clock that stands still, and replicas that fail.
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
