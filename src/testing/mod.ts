/**
 * For tests of tools: a client without a network, and a clock that stands still.
 *
 * @module
 */
export { testClient, type TestClientOptions } from "./test_client.ts";
export { FakeClock } from "./fake_clock.ts";
