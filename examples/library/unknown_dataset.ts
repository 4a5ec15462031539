/**
 * The failure that all tools share that take a table's name.
 *
 * @module
 */
import * as v from "jsr:@toolwire/toolwire/schema";

/** What goes with `unknown_dataset`. */
export const unknownDataset = v.object({
  dataset_id: v.pipe(v.string(), v.description("What was asked for")),
  available: v.pipe(v.array(v.string()), v.description("What can be asked for")),
});
