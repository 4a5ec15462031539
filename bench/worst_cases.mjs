// What requests cost in the worst case, as ratios: `node bench/worst_cases.mjs [--runtime bun,deno,node] [--rounds 15] [--tools 10,1000]`.
// In process, by the processor's time. Ends with 1 if the median and three quarters of the rounds are above a limit.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readCount, readNames, readOptions } from "./options.mjs";
import { formatSpread, formatTable, quartiles } from "./report.mjs";
import { buildPackage, commands, readVersion, root } from "./runtimes.mjs";
import { AIM, BESIDE, REQUESTS, SIZES } from "./worst_cases/requests.mjs";

const { runtimes, rounds, sizes } = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  rounds: { type: "string", default: "15" },
  tools: { type: "string", default: SIZES.join() },
}, ({ runtime, rounds, tools }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  rounds: readCount("--rounds", rounds),
  sizes: readNames("tools", tools, SIZES.map(String)).map(Number),
}));
if (runtimes.includes("node")) buildPackage();

let over = 0;
for (const runtime of runtimes) {
  console.error(`${runtime} …`);
  const { requests, beside } = measure(runtime);
  console.log(`\n### ${runtime} ${readVersion(runtime)}\n`);
  console.log(
    "Processor time of a request ÷ that of a good call of the same server, or of its text alone (quartiles)\n",
  );
  const rows = Object.entries(requests).map(([name, ratios]) => {
    const { base, held } = REQUESTS[name];
    const limits = sizes.map((size) => held?.[SIZES.indexOf(size)] ?? AIM);
    const cells = ratios.map((of, place) => judge(of, limits[place]));
    return [base === "text" ? `${name} ÷ its text` : name, ...cells, limits.join(" / ")];
  });
  console.log(formatTable(["request", ...sizes.map((size) => `${size} tools`), "limits"], rows));
  const crowded = Object.entries(beside).map(([name, ratios]) => [name, judge(ratios, BESIDE[name]), BESIDE[name]]);
  console.log(`\n${formatTable(["÷ a good call of an idle server", "", "limit"], crowded)}`);
}
console.log(`\n${over} above their limit; the aim of requests is ${AIM}`);
process.exitCode = over > 0 ? 1 : 0;

function measure(runtime) {
  const script = fileURLToPath(new URL("worst_cases/worker.mjs", import.meta.url));
  const [command, ...args] = commands[runtime](script);
  const { status, stdout, stderr } = spawnSync(command, [...args, String(rounds), JSON.stringify(sizes)], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`bench/worst_cases/worker.mjs failed on ${runtime}: ${stderr}`);
  return JSON.parse(stdout);
}

/** A cell of the table; counts what is above its limit. A noisy machine moves some rounds, not three quarters of them. */
function judge(ratios, limit) {
  const isOver = quartiles(ratios)[0] > limit;
  if (isOver) over++;
  return formatSpread(ratios) + (isOver ? " OVER" : "");
}
