/** Guarantees of second failures, as docs/guarantees.md lists them: something fails, and then the clean-up after it fails, too. */
import { type FaultGuarantee, renderFaults } from "./durable.ts";

const SERVER = "tests/server/second_failures";
const CLI = "tests/apps/cli/second_failures";

/** See {@link FaultGuarantee}. */
export const secondFailureGuarantees: readonly FaultGuarantee[] = [
  {
    fault: "an engine, a change bus, a store, a middleware or an observer",
    statement:
      "Each method may throw or reject: the call ends, the next one works, no subscription, lease or timer is left.",
    tests: {
      [`${SERVER}/test_faults.ts`]: ["() ${kind}, and then the clean-up fails"],
      [`${SERVER}/connections_test.ts`]: ["and then onError and the logger fail"],
    },
  },
  {
    fault: "a socket of a server or a client",
    statement: "The calls under way end with `unavailable`; a client opens another socket for the next call.",
    tests: {
      [`${SERVER}/connections_test.ts`]: ["() throws, and then terminate() fails"],
      [`${SERVER}/client_socket_test.ts`]: ["() throws while calls are under way, and then close()"],
    },
  },
  {
    fault: "a file that a command writes",
    statement:
      "Each call of the file system may fail: the file has its old text or the new one, nothing else is left where it can be removed, and the next command does not wait.",
    tests: {
      [`${CLI}/files_test.ts`]: [": each call fails once", "a lock that cannot be read or removed"],
    },
  },
  {
    fault: "a program that does not start, stops reading, crashes, or cannot be ended",
    statement: "The calls under way end with how it ended, the next call starts it again, and no process waits for it.",
    tests: {
      "tests/wires/mcp/stdio/second_failures_test.ts": [
        "a process that cannot be started",
        "a process that stops reading, and cannot be ended",
        "a process that has ended, and whose pipes another one keeps open",
        "the late end of a process",
      ],
      [`${CLI}/processes_test.ts`]: ["toolwire dev ends, also if"],
    },
  },
  {
    fault: "a callback of a timer that many share",
    statement: "The deadlines and deliveries of others come all the same.",
    tests: { "tests/internal/shared_timers_test.ts": [": the others are called after an exception, each once"] },
  },
  {
    fault: "a new boundary, a `finally` that closes",
    statement:
      "A script finds contracts, and modules that write files, start processes or set timers, without such a test.",
    tests: {
      "tests/arch/boundaries_test.ts": ["each public interface with methods"],
      "tests/arch/system_boundaries_test.ts": ["is named in a test of its second failures", "closes what may fail"],
    },
  },
];

/** The section of the page. */
export function renderSecondFailures(): string {
  return renderFaults(
    "Second failures",
    "Something fails, and then the clean-up after it fails, too. Nothing hangs, nothing leaks, and the first error is the first cause.",
    secondFailureGuarantees,
  );
}
