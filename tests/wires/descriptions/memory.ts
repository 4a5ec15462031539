/** The transport in memory: no wire, and the first row of the suite. */
import { memoryTransport } from "../../../mod.ts";
import type { WireDescription } from "./description.ts";

const NOTHING_SENT = "nothing is sent: a call is a function call";

/** See above. */
export const memory: WireDescription = {
  name: "memory",
  rows: [{
    name: "memory",
    column: "memory",
    open(server, { principal } = {}) {
      const transport = memoryTransport(server, principal === undefined ? {} : { principal });
      return Promise.resolve({ transport, close: () => Promise.resolve() });
    },
  }],
  without: {
    requests: NOTHING_SENT,
    HTTP: NOTHING_SENT,
    ids: NOTHING_SENT,
    pieces: "a client that does not read makes the handler wait: tests/client/limits_test.ts",
    "clients of foreign servers": "its server is in the same process",
    principals: "tests/integrations/middleware/concurrency_limit_test.ts",
  },
};
