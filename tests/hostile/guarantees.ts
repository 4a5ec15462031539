/** All guarantees, in the order of the page. */
import * as bodies from "./requests/bodies.ts";
import * as compression from "./requests/compression.ts";
import * as calls from "./handlers/endings.ts";
import * as engines from "./requests/engines.ts";
import type { Guarantee } from "./guarantee.ts";
import * as handlers from "./handlers/results.ts";
import * as foreign from "./servers/foreign.ts";
import * as headers from "./requests/headers.ts";
import * as hostile from "./servers/responses.ts";
import * as limits from "./requests/limits.ts";
import * as readers from "./readers/slow_readers.ts";
import * as unread from "./readers/unread_answers.ts";
import * as requests from "./requests/origins.ts";

/** See {@link Guarantee}. */
export const allGuarantees: readonly Guarantee[] = [
  requests,
  bodies,
  handlers,
  calls,
  limits,
  compression,
  headers,
  engines,
  readers,
  unread,
  hostile,
  foreign,
]
  .flatMap(
    ({ guarantees }) => guarantees,
  );
