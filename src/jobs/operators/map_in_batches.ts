/** Number of values for which work is done at once: a job may be large. */
const READS = 8;

/** Calls `map` for each value, for some at once. Returns the results, in order. */
export async function mapInBatches<Value, Result>(
  values: readonly Value[],
  map: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < values.length; at += READS) {
    results.push(...await Promise.all(values.slice(at, at + READS).map(map)));
  }
  return results;
}
