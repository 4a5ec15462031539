// Measures what a promise token costs to sign and to verify: `node bench/tokens.mjs [--runtime bun,deno,node] [--rounds 15]`.
// Needs Node >= 22.18 (it takes the source as it is) and the root's dev dependencies only.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readCount, readNames, readOptions } from "./options.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { commands, readVersion } from "./runtimes.mjs";

const callsPerRound = 5_000;
const nowMs = 1_700_000_000_000;
const claims = {
  id: "0192f0e8-7b1c-7d3e-8a4f-1234567890ab",
  expSeconds: nowMs / 1000 + 3_600,
  tool: "analyze_dataset",
  principal: "ada@example.org",
};
const sizes = { plain: undefined, "100 bytes of data": { state: "x".repeat(88) } };

const script = fileURLToPath(import.meta.url);
const { runtimes, rounds, inside } = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  rounds: { type: "string", default: "15" },
  inside: { type: "boolean", default: false },
}, ({ runtime, rounds, inside }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  rounds: readCount("--rounds", rounds),
  inside,
}));
if (inside) console.log(JSON.stringify(await measure(rounds)));
else runtimes.forEach(report);

function report(runtime) {
  const [command, ...args] = commands[runtime](script);
  const { status, stdout, stderr } = spawnSync(command, [...args, "--inside", "--rounds", String(rounds)], {
    encoding: "utf8",
    env: { ...process.env, TOOLWIRE_KEYS: "k1:a-secret-of-the-benchmarks-and-of-nothing-else" },
  });
  if (status !== 0) throw new Error(`bench/tokens.mjs failed on ${runtime}: ${stderr}`);
  const rows = JSON.parse(stdout).map(({ name, chars, sign, verify }) => [
    name,
    String(chars),
    formatSpread(sign),
    formatSpread(verify),
  ]);
  console.log(`\n${runtime} ${readVersion(runtime)}, µs a token: median (quartiles) of ${rounds} rounds\n`);
  console.log(formatTable(["ring, token", "characters", "sign", "verify"], rows));
}

async function measure(rounds) {
  const { keyRing } = await import("../src/core/keys/key_ring.ts");
  const { sealed } = await import("../src/entries/keys/sealed.ts");
  const { keysFromEnv } = await import("../src/runtime/keys_from_env.ts");
  const text = process.env.TOOLWIRE_KEYS;
  const rings = { "keyRing()": keyRing(text), "keysFromEnv()": keysFromEnv(), "sealed()": sealed(text) };
  const rows = Object.entries(rings).flatMap(([ring, keys]) =>
    Object.entries(sizes).map(([size, data]) => {
      const all = { ...claims, data };
      const token = keys.sign("promise", all);
      const sign = () => keys.sign("promise", all);
      const verify = () => keys.verify("promise", token, claims.principal, nowMs);
      if (verify().id !== claims.id) throw new Error(`${ring} refused its own token`);
      const row = { name: `${ring}, ${size}`, chars: token.length, sign: [], verify: [] };
      return { row, calls: { sign, verify } };
    })
  );
  // In turns, so that a noisy moment hits all of them; the first rounds warm up and do not count.
  for (let round = -3; round < rounds; round++) {
    for (const { row, calls } of rows) {
      for (const [what, call] of Object.entries(calls)) {
        const us = time(call);
        if (round >= 0) row[what].push(us);
      }
    }
  }
  return rows.map(({ row }) => row);
}

/** Microseconds a call. */
function time(call) {
  const startMs = performance.now();
  for (let done = 0; done < callsPerRound; done++) call();
  return (performance.now() - startMs) * 1000 / callsPerRound;
}
