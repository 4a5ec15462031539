// Times callers in turns, in one process.

/**
 * @param callers What makes one call, by name.
 * @returns calls a second of each round, by name.
 */
export async function timeCallers(callers, inputs, { inFlight, rounds, calls }) {
  const rates = Object.fromEntries(Object.keys(callers).map((caller) => [caller, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [caller, call] of Object.entries(callers)) {
      const rate = await timeRound(call, inputs, inFlight, calls);
      // The first round warms up.
      if (round >= 0) rates[caller].push(rate);
    }
  }
  return rates;
}

async function timeRound(call, inputs, inFlight, calls) {
  let left = calls;
  const startMs = performance.now();
  const work = async () => {
    while (left-- > 0) await call(inputs[left % inputs.length]);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return calls / (performance.now() - startMs) * 1000;
}
