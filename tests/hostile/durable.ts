/** Guarantees of durable work. They are not of a wire: the page has them in a list, with the tests that show them. */

/** What is guaranteed for a fault. */
export interface FaultGuarantee {
  /** The fault, or the hostile input. */
  readonly fault: string;
  /** What is guaranteed, in a sentence. */
  readonly statement: string;
  /** Names of tests, or their beginnings as they are in the file, by file. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

const WAITS = "tests/jobs/promises/waits_test.ts";
const FORGED = "tests/jobs/promises/forged_resolvers_test.ts";
const RESOLVER = "tests/server/pages/resolver_test.ts";
const SCHEDULES = "tests/jobs/schedules/schedules_test.ts";
const SIMULATION = "tests/testing/durable_simulation_full_test.ts";
const TEMPORAL = "tests/integrations/temporal/temporal_test.ts";
const TEMPORAL_SERVER = "tests/integrations/temporal/temporal_full_test.ts";
const RESOLVE_SOAK = "tests/soak/resolve_full_test.ts";

/** See {@link FaultGuarantee}. */
export const durableGuarantees: readonly FaultGuarantee[] = [
  {
    fault: "sleep: all processes are killed",
    statement: "The handler continues once, on time, elsewhere.",
    tests: {
      "tests/jobs/engines/sleep_kill_full_test.ts": ["sleeps ten seconds while every process is killed"],
      [SIMULATION]: ["a week of"],
    },
  },
  {
    fault: "sleep: early and repeated deliveries, other clocks",
    statement: "A sleep does not end early, nor begin again.",
    tests: {
      [WAITS]: ["sleep() fixes its end at the first run"],
      "src/testing/engine_suite/wait_checks.ts": ["a handler that sleeps continues in another process, once"],
    },
  },
  {
    fault: "waitFor: kills, lapsed leases, partitions",
    statement: "An accepted value is in the result. A stored step never changes.",
    tests: { "tests/jobs/engines/protocol_replay_test.ts": ["engine follows the model"], [SIMULATION]: ["a week of"] },
  },
  {
    fault: "waitFor: a value that does not fit",
    statement: "It is refused, or logged if early; the wait stays open.",
    tests: {
      [WAITS]: ["a value that does not fit is logged, leaves the wait open"],
      [RESOLVER]: ["a value that does not fit is 422"],
    },
  },
  {
    fault: "resolve token: forged",
    statement: "Changed bits and other texts are refused with one error.",
    tests: {
      [FORGED]: ["resolve() refuses a token with any one bit changed"],
      [WAITS]: ["resolve() refuses a promise token, other text"],
      [RESOLVE_SOAK]: ["one continuation"],
    },
  },
  {
    fault: "resolve token: foreign",
    statement: "Other keys are refused; a job elsewhere is `lost`.",
    tests: {
      [FORGED]: ["resolve() refuses a token of a server with other keys"],
      [RESOLVER]: ["what is not a token of this server is 404"],
    },
  },
  {
    fault: "resolve token: expired, or its work is over",
    statement: "It resolves nothing; the sender gets the reason.",
    tests: {
      [WAITS]: [
        "a call that has ended refuses values; a token refuses after its time",
        "a cancelled call refuses values",
      ],
    },
  },
  {
    fault: "resolve token: duplicates",
    statement: "The first value counts; the same is a repeat, another is refused.",
    tests: { [RESOLVER]: ["50 duplicates at once over three replicas"], [RESOLVE_SOAK]: ["50 duplicates at once"] },
  },
  {
    fault: "schedule: several replicas, kills, partitions",
    statement: "One call for each time, by any replica.",
    tests: {
      [SCHEDULES]: ["every() calls a tool at each time, once over three replicas"],
      [SIMULATION]: ["a week of"],
    },
  },
  {
    fault: "schedule: the engine is away, clocks change",
    statement: "The call is made later; a local time that comes twice has one.",
    tests: {
      [SCHEDULES]: [
        "an engine that is away when a call is stored is asked again",
        "cron() calls at the times of its zone",
      ],
    },
  },
  {
    fault: "Temporal: its server or a replica is killed",
    statement: "Calls are `unavailable`; any replica redeems the promise later.",
    tests: {
      [TEMPORAL]: ["a server that does not answer is unavailable, at the start and later"],
      [TEMPORAL_SERVER]: ["a tool whose work is a Temporal workflow"],
    },
  },
  {
    fault: "Temporal: a call is repeated",
    statement: "One id is one workflow and one result.",
    tests: {
      [TEMPORAL]: ["a repeated call shares the workflow", "an idempotency key makes one workflow"],
      [TEMPORAL_SERVER]: ["a tool whose work is a Temporal workflow"],
    },
  },
  {
    fault: "external work: late, repeated, foreign or unfit answers",
    statement: "An answer reaches one check, of its caller, for an open question.",
    tests: {
      "tests/jobs/promises/external_test.ts": [
        "check asks through the promise, on any server",
        "an answer counts for one look",
        "answers of another caller",
      ],
    },
  },
];

/** The section of the page. */
export function renderDurable(): string {
  const text = "The same over each wire.";
  return renderFaults("Durable work", text, durableGuarantees);
}

/** A list of faults. */
export function renderFaults(heading: string, text: string, guarantees: readonly FaultGuarantee[]): string {
  const rows = guarantees.map(({ fault, statement, tests }) => {
    const files = Object.keys(tests).map((file) => `[${file.slice(file.lastIndexOf("/") + 1)}](../${file})`);
    return `- **${fault}.** ${statement} ${files.join(", ")}`;
  });
  return [`## ${heading}`, text, rows.join("\n")].join("\n\n");
}
