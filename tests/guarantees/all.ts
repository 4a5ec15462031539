/** All guarantees, in the order of the page. */
import * as bodies from "./bodies.ts";
import * as calls from "./calls.ts";
import type { Guarantee } from "./guarantee.ts";
import * as handlers from "./handlers.ts";
import * as hostile from "./hostile.ts";
import * as limits from "./limits.ts";
import * as readers from "./readers.ts";
import * as requests from "./requests.ts";

/** See {@link Guarantee}. */
export const allGuarantees: readonly Guarantee[] = [requests, bodies, handlers, calls, limits, readers, hostile]
  .flatMap(
    ({ guarantees }) => guarantees,
  );
