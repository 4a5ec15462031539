// Measures how costs grow with tools, with arguments and with streams at once, in process; draws docs/growth/*.svg and fits the
// exponents. `node bench/growth.mjs [--runtime bun] [--series tools] [--starts 3] [--write]`. Ends with 1 if something grows worse than
// stated. A part of the runtimes or series is drawn with `--write` only, so that a look at one does not take the others' plots away.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { fitExponent } from "./growth/fit.mjs";
import { drawGrowth } from "./growth/plot.mjs";
import { readCount, readNames, readOptions } from "./options.mjs";
import { formatTable, quartiles } from "./report.mjs";
import { buildPackage, commands, readVersion, root } from "./runtimes.mjs";

/** What is measured at which sizes, and with which power of it each cost may grow. */
const series = {
  tools: {
    title: "Cost by number of tools, ÷ that of one",
    unit: "tools",
    sizes: [1, 10, 100, 1000, 10_000],
    // A page is full from 250 tools on.
    powers: {
      "a call": 0,
      "a page of the list, ÷ its text": 0,
      "the whole list, ÷ its text": 0,
      construction: 1,
      memory: 1,
    },
    from: { "a page of the list, ÷ its text": 1000 },
  },
  arguments: {
    title: "Time of a call by bytes of arguments, ÷ that of one byte",
    unit: "bytes of arguments",
    sizes: [1, 10, 100, 1000, 10_000, 100_000, 1_000_000],
    powers: { text: 1, "a list of objects": 1 },
  },
  streams: {
    title: "Cost of streams at once, ÷ that of one",
    unit: "streams of 100 partials at once",
    sizes: [1, 10, 100, 1000],
    powers: { "all of them": 1, "memory while open": 1 },
  },
};
/** Caches fill up, and the machine is noisy: an exponent may lie so much above its power. */
const leeway = 0.2;

const everyRuntime = Object.keys(commands);
const everySeries = Object.keys(series);
const { runtimes, chosenSeries, starts, write } = readOptions({
  runtime: { type: "string", default: everyRuntime.join() },
  series: { type: "string", default: everySeries.join() },
  starts: { type: "string", default: "3" },
  write: { type: "boolean", default: false },
}, ({ runtime, series, starts, write }) => ({
  runtimes: readNames("runtime", runtime, everyRuntime),
  chosenSeries: readNames("series", series, everySeries),
  starts: readCount("--starts", starts),
  write,
}));
const isWhole = runtimes.length === everyRuntime.length &&
  chosenSeries.length === everySeries.length;
if (runtimes.includes("node")) buildPackage();

let worse = 0;
for (const name of chosenSeries) {
  const { title, unit, sizes, powers, from = {} } = series[name];
  const panels = runtimes.map((runtime) => measureSeries(runtime, name));
  if (isWhole || write) writeFileSync(`${root}docs/growth/${name}.svg`, drawGrowth(title, unit, panels));
  console.log(`\n### ${title}\n\n![${title}](growth/${name}.svg)\n`);
  const rows = Object.entries(powers).map(([what, power]) => toRow(what, power, pickFitted(sizes, from[what]), panels));
  console.log(formatTable(["exponent, last of its sizes", "at most", ...panels.map(({ name }) => name)], rows));
}
if (worse > 0) console.log(`\n${worse} grow worse than that`);
process.exitCode = worse > 0 ? 1 : 0;

function measureSeries(runtime, name) {
  const { sizes, powers } = series[name];
  const lines = Object.fromEntries(Object.keys(powers).map((what) => [what, []]));
  for (const size of sizes) {
    console.error(`${runtime} ${name}, ${size} …`);
    const points = Array.from({ length: starts }, () => measurePoint(runtime, name, size));
    for (const what of Object.keys(powers)) lines[what].push(quartiles(points.map((point) => point[what]))[1]);
  }
  return { name: `${runtime} ${readVersion(runtime)}`, sizes, lines };
}

function measurePoint(runtime, name, size) {
  const [command, ...args] = commands[runtime](fileURLToPath(new URL("growth/worker.mjs", import.meta.url)));
  const exposed = runtime === "node" ? ["--expose-gc", ...args] : args;
  const env = { ...process.env, DENO_V8_FLAGS: "--expose-gc" };
  const { status, stdout, stderr } = spawnSync(command, [...exposed, name, String(size)], { encoding: "utf8", env });
  if (status !== 0) throw new Error(`bench/growth/worker.mjs ${name} ${size} failed on ${runtime}: ${stderr}`);
  const costs = JSON.parse(stdout);
  // A heap that has shrunk says that the memory is not to be seen beside the rest.
  return Object.fromEntries(Object.entries(costs).map(([what, cost]) => [what, Math.max(cost, 0.01)]));
}

/** Small sizes show what a call costs anyway, so that the last points show what grows. */
function pickFitted(sizes, from = sizes.at(-3)) {
  return sizes.filter((size) => size >= from);
}

function toRow(what, power, fitted, panels) {
  const exponents = panels.map(({ lines }) => fitExponent(fitted, lines[what].slice(-fitted.length)));
  worse += exponents.filter((exponent) => exponent > power + leeway).length;
  const cells = exponents.map((exponent) => exponent.toFixed(2) + (exponent > power + leeway ? " (worse)" : ""));
  return [what, power, ...cells];
}
