import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { findTable } from "../../examples/library/catalog.ts";
import { toRows, typeOfColumn } from "../../examples/library/cells.ts";
import { analyzeTable } from "../../examples/library/analysis.ts";
import { formatCsv, parseCsv } from "../../examples/library/csv.ts";
import { formatDate, formatDecimal, formatDollars, formatShare, joinWords } from "../../examples/library/format.ts";
import { createPause } from "../../examples/library/pauses.ts";
import { createDraw } from "../../examples/library/random.ts";
import { prepareCars, prepareMovies } from "../../examples/library/repairs.ts";
import { writeReport } from "../../examples/library/report.ts";
import { correlate, estimateMiddle } from "../../examples/library/resampling.ts";
import { searchRows, toHit } from "../../examples/library/search.ts";
import {
  countValues,
  rankRows,
  summarizeColumn,
  summarizeGroups,
  summarizeNumbers,
} from "../../examples/library/statistics.ts";
import { cellsOf, listTableIds, loadAllTables, loadTable } from "../../examples/library/tables.ts";
import { wrapText } from "../../examples/library/transcript.ts";
import { type AnswerQuestion, createClient, memoryTransport } from "../../mod.ts";
import { testClient } from "../../src/entries/testing.ts";

// The tools import Toolwire as a user does, by its `jsr:` name, which Node does not understand by itself.
if (!("Bun" in globalThis) && !("Deno" in globalThis)) await import("../../examples/library/node_resolve.ts");
const { server } = await import("../../examples/library/server.ts");
const library = testClient(server);

test("parseCsv() reads quotes, both line ends, blank lines, short lines and a missing last line end", () => {
  const cases: readonly (readonly [string, Record<string, string>[]])[] = [
    ["a,b\n1,2\n", [{ a: "1", b: "2" }]],
    ["a,b\r\n1,2\r\n\r\n3,4", [{ a: "1", b: "2" }, { a: "3", b: "4" }]],
    ['a,b\n"x, ""y""\nz",2', [{ a: 'x, "y"\nz', b: "2" }]],
    ["a,b\n1", [{ a: "1", b: "" }]],
    ["a,b\n1,", [{ a: "1", b: "" }]],
    ["a,b\n,2", [{ a: "", b: "2" }]],
    ["a,b", []],
    ["", []],
  ];
  for (const [text, want] of cases) deepStrictEqual(parseCsv(text), want, JSON.stringify(text));
});

test("parseCsv() refuses stray quotes instead of guessing", () => {
  for (const text of ['a\n"open', 'a\n"x"y\n', 'a\nx"y\n']) throws(() => parseCsv(text), SyntaxError, text);
});

test("formatCsv() writes what parseCsv() reads, and nothing for what is missing", () => {
  const rows = [{ a: 'x, "y"\nz', b: 1.5, c: null }, { a: "", b: true, c: "ü" }];
  const text = formatCsv(["a", "b", "c"], rows);
  strictEqual(text, 'a,b,c\n"x, ""y""\nz",1.5,\n,true,ü\n');
  deepStrictEqual(parseCsv(text), [{ a: 'x, "y"\nz', b: "1.5", c: "" }, { a: "", b: "true", c: "ü" }]);
});

test("toRows() gives every row every column, one type a column", () => {
  const rows = toRows([{ title: 300, year: "1998", code: "007" }, { title: " Big ", code: "12", extra: null }], ["NA"]);
  deepStrictEqual(rows, [
    { title: "300", year: 1998, code: "007", extra: null },
    { title: "Big", year: null, code: "12", extra: null },
  ]);
  deepStrictEqual(toRows([{ a: "NA" }, { a: "" }, { a: Number.NaN }], ["NA"]), [{ a: null }, { a: null }, { a: null }]);
});

test("typeOfColumn() names text, numbers, booleans and dates, and looks past nulls", () => {
  strictEqual(typeOfColumn([1, null, 2]), "number");
  strictEqual(typeOfColumn(["1998-06-12", null, "2018-02-07T01:26:13.840Z"]), "date");
  strictEqual(typeOfColumn(["1998-06-12", "soon"]), "text");
  strictEqual(typeOfColumn([true, null]), "boolean");
  strictEqual(typeOfColumn([null, null]), "text");
});

test("prepareMovies() mends titles and dates", () => {
  const titles = [300, null, "LÈon", "Charge of the Light Brigade, The", "Alien³"];
  const records = prepareMovies(titles.map((Title) => ({ Title, "Release Date": "Dec 15 2039" })));
  deepStrictEqual(records.map((record) => record["Title"]), [
    "300",
    null,
    "Léon",
    "The Charge of the Light Brigade",
    "Alien³",
  ]);
  strictEqual(records[0]?.["Release Date"], "1939-12-15");
  strictEqual(prepareMovies([{ Title: "x", "Release Date": "Feb 04 2011" }])[0]?.["Release Date"], "2011-02-04");
  strictEqual(prepareMovies([{ Title: "x", "Release Date": "unknown" }])[0]?.["Release Date"], null);
});

test("prepareCars() writes names as people do", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["honda Accelerationord lx", "Honda Accord LX"],
    ["chevroelt chevelle malibu", "Chevrolet Chevelle Malibu"],
    ["vw rabbit c (diesel)", "Volkswagen Rabbit C (Diesel)"],
    ["dodge st. regis", "Dodge St. Regis"],
    ["amc rebel sst (sw)", "AMC Rebel SST (SW)"],
  ];
  for (const [Name, want] of cases) {
    deepStrictEqual(prepareCars([{ Name, Year: "1980-01-01" }]), [{ Name: want, Year: 1980 }]);
  }
});

test("summarizeNumbers() gives range, mean and median", () => {
  deepStrictEqual(summarizeNumbers([3, 1, 2]), { min: 1, max: 3, mean: 2, median: 2 });
  deepStrictEqual(summarizeNumbers([4, 1, 2, 3]), { min: 1, max: 4, mean: 2.5, median: 2.5 });
  deepStrictEqual(summarizeNumbers([7]), { min: 7, max: 7, mean: 7, median: 7 });
  strictEqual(summarizeNumbers([]), undefined);
});

test("summarizeColumn() says what fits the type", () => {
  deepStrictEqual(summarizeColumn("n", [1, null, 2, 2]), {
    name: "n",
    type: "number",
    missing: 1,
    distinct: 2,
    min: 1,
    max: 2,
    mean: 1.6667,
    median: 2,
  });
  deepStrictEqual(summarizeColumn("t", ["b", "a", "b", null], 1), {
    name: "t",
    type: "text",
    missing: 1,
    distinct: 2,
    top: [{ value: "b", count: 2 }],
  });
  deepStrictEqual(summarizeColumn("d", ["1998-06-12", "1915-02-08"]), {
    name: "d",
    type: "date",
    missing: 0,
    distinct: 2,
    min: "1915-02-08",
    max: "1998-06-12",
  });
});

test("countValues() orders by count, then by name", () => {
  deepStrictEqual(countValues(["b", "a", null, "c", "c"]), [
    { value: "c", count: 2 },
    { value: "a", count: 1 },
    { value: "b", count: 1 },
  ]);
});

test("summarizeGroups() and rankRows() leave out what has no number", () => {
  const rows = [{ g: "x", n: 1 }, { g: "x", n: 3 }, { g: "y", n: 5 }, { g: "y", n: null }, { g: null, n: 9 }];
  const wanted = { group: "g", measure: "n", by: "mean" } as const;
  deepStrictEqual(summarizeGroups(rows, { ...wanted, fewestRows: 1 }), [
    { value: "y", count: 1, sum: 5, mean: 5 },
    { value: "x", count: 2, sum: 4, mean: 2 },
  ]);
  deepStrictEqual(summarizeGroups(rows, { ...wanted, fewestRows: 2 }).map(({ value }) => value), ["x"]);
  deepStrictEqual(rankRows(rows, "n", "highest", 2).map(({ n }) => n), [9, 5]);
  deepStrictEqual(rankRows(rows, "n", "lowest", 9).map(({ n }) => n), [1, 3, 5, 9]);
});

test("createDraw() draws the same numbers for the same seed, everywhere", () => {
  const draws = (seed: string) => Array.from({ length: 6 }, ((draw) => () => draw(1000))(createDraw(seed)));
  deepStrictEqual(draws("movies"), [570, 527, 38, 690, 388, 205]);
  ok(draws("cars").join() !== draws("movies").join());
  const counts = new Uint32Array(10);
  const draw = createDraw("even");
  for (let index = 0; index < 100_000; index++) counts[draw(10)]! += 1;
  ok(counts.every((count) => Math.abs(count - 10_000) < 500), counts.join());
});

/** Chance for a test of the statistics. */
function trials(seed: string, count = 400) {
  return { count, draw: createDraw(seed), pause: () => undefined };
}

test("estimateMiddle() finds mean and median, and bounds that fit what is known", async () => {
  const numbers = Array.from({ length: 101 }, (_, index) => index);
  const { mean, median } = await estimateMiddle(numbers, trials("middle"));
  strictEqual(mean.value, 50);
  strictEqual(median.value, 50);
  // By the textbook: 1.96 times 29.2 ÷ √101, or 5.7, to either side.
  ok(Math.abs(mean.low - 44.3) < 1 && Math.abs(mean.high - 55.7) < 1, JSON.stringify(mean));
  ok(median.low < 46 && median.low > 30 && median.high > 54 && median.high < 70, JSON.stringify(median));
  strictEqual((await estimateMiddle([1, 4, 2, 3], trials("even"))).median.value, 2.5);
  const alone = { value: 7, low: 7, high: 7 };
  deepStrictEqual(await estimateMiddle([7], trials("alone")), { mean: alone, median: alone });
});

test("correlate() tells what goes together from what does not", async () => {
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const least = 1 / 401;
  deepStrictEqual(await correlate(numbers, numbers.map((number) => number ** 3), trials("up")), {
    coefficient: 1,
    p_value: least,
  });
  deepStrictEqual(await correlate(numbers, numbers.map((number) => -number), trials("down")), {
    coefficient: -1,
    p_value: least,
  });
  const scattered = await correlate(numbers, numbers.map((number) => (number * 37) % 50), trials("scattered"));
  ok(scattered !== undefined && Math.abs(scattered.coefficient) < 0.3 && scattered.p_value > 0.05);
  // By hand: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
  const tied = await correlate([1, 2, 2, 3], [1, 2, 3, 4], trials("tied"));
  ok(tied !== undefined && Math.abs(tied.coefficient - 4.5 / Math.sqrt(4.5 * 5)) < 1e-12);
  strictEqual(await correlate([1, 1, 1], [1, 2, 3], trials("flat")), undefined);
});

test(
  "createPause() gives others their turn, and throws when nobody wants the result",
  { timeout: 60_000 },
  async () => {
    const left = new AbortController();
    const pause = createPause(left.signal);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    try {
      while (turns < 3) await pause();
      left.abort(new Error("left"));
      await rejects(async () => {
        for (;;) await pause();
      }, { message: "left" });
    } finally {
      clearInterval(timer);
    }
  },
);

test("analyzeTable() gives the same each time, and each part the same as the whole", async () => {
  const table = await loadTable("burtin");
  ok(table !== undefined);
  const reported: string[] = [];
  const analyze = (type: "estimates" | "correlations" | "comprehensive") => {
    const onProgress = (percent: number, message: string) => void reported.push(`${percent}% ${message}`);
    return analyzeTable(table, { type, signal: new AbortController().signal, onProgress });
  };
  const whole = await analyze("comprehensive");
  deepStrictEqual(await analyze("comprehensive"), whole);
  strictEqual(reported[0], "0% Resampling Penicillin");
  strictEqual(reported.at(-1), "100% Done");
  deepStrictEqual((await analyze("estimates")).estimates, whole.estimates);
  deepStrictEqual((await analyze("correlations")).correlations, whole.correlations);
  strictEqual(whole.estimates.length, 3);
  strictEqual(whole.correlations.length, 3);
  deepStrictEqual(whole.findings, [
    "The mean dose of penicillin is 217.88 units/ml, likely between 56.13 and 418.25 units/ml.",
    "The mean dose of streptomycin is 3.07 units/ml, likely between 1.16 and 5.35 units/ml.",
    "The mean dose of neomycin is 4.09 units/ml, likely between 0.46 and 9.63 units/ml.",
    "“Streptomycin” rises as “Neomycin” rises (0.85, over 16 bacteria).",
  ]);
});

test("formatDollars() never writes a thousand of a word that has a next one", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "$0"],
    [26_403, "$26,403"],
    [999_499, "$999,499"],
    [999_500, "$1 million"],
    [31_200_000, "$31.2 million"],
    [999_949_999, "$999.9 million"],
    [999_950_000, "$1 billion"],
    [2_767_891_499, "$2.77 billion"],
  ];
  for (const [value, want] of cases) strictEqual(formatDollars(value), want);
});

test("formatShare() does not round something to nothing, nor nearly all to all", () => {
  const cases: readonly (readonly [number, number, string])[] = [
    [0, 10, "0%"],
    [1, 0, "0%"],
    [1, 10_000, "under 0.1%"],
    [6, 1000, "0.6%"],
    [1, 4, "25%"],
    [9_999, 10_000, "over 99%"],
    [10, 10, "100%"],
  ];
  for (const [part, whole, want] of cases) strictEqual(formatShare(part, whole), want);
});

test("formatDecimal(), formatDate() and joinWords() write as prose does", () => {
  deepStrictEqual([6.2817, 0.001, 0, 1234.5].map(formatDecimal), ["6.28", "0.001", "0", "1,234.5"]);
  strictEqual(formatDate("1998-06-12"), "12 June 1998");
  deepStrictEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(joinWords), ["", "a", "a and b", "a, b and c"]);
});

test("loadTable() reads every table of the catalogue, whole", async () => {
  const sizes = (await loadAllTables()).map(({ id, rows }) => [id, rows.length]);
  deepStrictEqual(Object.fromEntries(sizes), {
    "movies": 3201,
    "airports": 3376,
    "burtin": 16,
    "cars": 406,
    "countries": 620,
    "disasters": 686,
    "earthquakes": 1707,
    "gapminder-health-income": 187,
    "penguins": 344,
    "us-state-capitals": 50,
  });
  for (const id of ["constructor", "__proto__", "Movies", ""]) strictEqual(await loadTable(id), undefined, id);
});

test("every row of every table has a title and an excerpt without holes", async () => {
  for (const { id, rows, columns, titleOf, excerptOf } of await loadAllTables()) {
    for (const row of rows) {
      const text = `${titleOf(row)}. ${excerptOf(row)}`;
      ok(!/undefined|null|NaN|\[object/.test(text), `${id}: ${text}`);
      deepStrictEqual(Object.keys(row), columns);
    }
  }
});

test("every column that the catalogue names is there, and numeric where it is measured", async () => {
  for (const { id, columns, rows, measures, groupings, comparison, rankings, span } of await loadAllTables()) {
    const measured = [...measures, ...rankings.map(({ measure }) => measure), comparison?.measure ?? []].flat();
    for (const { column } of measured) strictEqual(typeOfColumn(cellsOf(rows, column)), "number", `${id}: ${column}`);
    const named = [...groupings, comparison?.grouping ?? []].flat().map(({ column }) => column);
    for (const column of [...named, ...(span === undefined ? [] : [span])]) {
      ok(columns.includes(column), `${id}: ${column}`);
    }
  }
});

test("findTable() knows ids, titles and other names, and nothing else", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["movies", "movies"],
    [" The Movies table ", "movies"],
    ["films", "movies"],
    ["Natural disasters", "disasters"],
    ["nations", "gapminder-health-income"],
    ["coppola", undefined],
    ["", undefined],
  ];
  for (const [topic, want] of cases) strictEqual(findTable(topic)?.id, want, topic);
  const names = listTableIds().map((id) => findTable(id)?.id);
  deepStrictEqual(names, listTableIds());
});

for (
  const [query, title] of [
    ["godfather", "The Godfather"],
    ["the lord of the rings", "The Lord of the Rings"],
    ["leon", "Léon"],
    ["300", "300"],
    ["drought 1928", "Drought, 1928"],
    ["toyota corolla", "Toyota Corolla"],
    ["coppola films", "The Godfather"],
    ["godfater", "The Godfather"],
  ] as const
) {
  test(`searchRows(${JSON.stringify(query)}) finds ${title} first`, async () => {
    const { hits, isComplete } = await searchRows(query, 3);
    ok(hits[0]?.title.startsWith(title), `found ${hits[0]?.title}`);
    ok(isComplete);
  });
}

test("searchRows() limits the hits and not the total", async () => {
  const { hits, total } = await searchRows("spielberg", 5);
  strictEqual(hits.length, 5);
  ok(total > 20, String(total));
  deepStrictEqual(Object.keys(toHit(hits[0]!)), ["document_id", "title", "excerpt", "table"]);
});

test("searchRows() settles for some of the words only when no row has all", async () => {
  const { isComplete, total } = await searchRows("godfather xylophone", 5);
  strictEqual(isComplete, false);
  ok(total > 0);
  for (const query of ["", "the", "qqqqzzzz"]) deepStrictEqual((await searchRows(query, 5)).hits, [], query);
});

test("searchRows() names rows so that they can be found again", async () => {
  const { hits } = await searchRows("godfather", 1);
  const [id = "", number = ""] = hits[0]?.document_id.split("/") ?? [];
  const table = await loadTable(id);
  strictEqual(table?.rows[Number(number) - 1]?.["Title"], "The Godfather");
});

test("writeReport() on a table tells its size, leaders and gaps, section by section", async () => {
  const pieces = await Array.fromAsync(writeReport("movies"));
  ok(pieces.length >= 6, `${pieces.length} pieces`);
  const report = pieces.join("");
  for (
    const part of [
      "# Movies\n",
      "3,201 films in 16 columns, from 8 February 1915 to 23 December 2011",
      "## In numbers",
      "from $0 to $2.77 billion",
      "Drama (789, 25%)",
      "Avatar ($2.77 billion)",
      "“US DVD Sales” (2,637, 82%)",
      "Computed from movies.json",
    ]
  ) {
    ok(report.includes(part), part);
  }
});

test("writeReport() on anything else searches all tables", async () => {
  const report = (await Array.fromAsync(writeReport("  chicago "))).join("");
  ok(report.startsWith("# Chicago\n\nThe library has 20 rows on “chicago”: 1 film and 19 airports.\n"), report);
  ok(report.includes("O'Hare"));
});

test("writeReport() says so when there is nothing, and repeats no more than a line of the topic", async () => {
  const report = (await Array.fromAsync(writeReport(`qqqq\n\n# ${"z".repeat(5000)}`))).join("");
  ok(report.includes("The library has nothing on"));
  ok(report.includes("- penguins: "));
  ok(report.length < 2500, String(report.length));
  const empty = (await Array.fromAsync(writeReport(""))).join("");
  ok(empty.startsWith("# Nothing in particular\n"), empty);
});

test("writeReport() leaves no hole in any table's report", async () => {
  for (const id of listTableIds()) {
    const report = (await Array.fromAsync(writeReport(id))).join("");
    ok(report.length > 500, id);
    ok(!/undefined|null|NaN|\[object|\(\)| {2}/.test(report), `${id}: ${report}`);
  }
});

test("wrapText() breaks at spaces and leaves long words whole", () => {
  deepStrictEqual(wrapText("one two three", 7), ["one two", "three"]);
  deepStrictEqual(wrapText("extraordinary day", 5), ["extraordinary", "day"]);
});

test("search_documents is listed as docs/spec.md A.1 says", async () => {
  const tools = await library.$.list();
  deepStrictEqual(tools.map(({ name }) => name), [
    "redeem",
    "cancel",
    "search_documents",
    "generate_report",
    "describe_dataset",
    "analyze_dataset",
    "export_dataset",
  ]);
  const { name, "@type": type, description, inputSchema } = tools[2]!;
  deepStrictEqual({ name, "@type": type, description, inputSchema }, {
    name: "search_documents",
    "@type": "query",
    description: "Search through available documents",
    inputSchema: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: "string", description: "Search query" },
        limit: { type: "integer", default: 10, minimum: 1, maximum: 100 },
      },
    },
  });
});

test("search_documents gives at most the limit, which is 10 by default", async () => {
  strictEqual((await library.search_documents({ query: "alaska" })).length, 10);
  strictEqual((await library.search_documents({ query: "alaska", limit: 100 })).length, 100);
  strictEqual((await library.search_documents({ query: "alaska", limit: 1 })).length, 1);
  deepStrictEqual(await library.search_documents({ query: "qqqqzzzz" }), []);
});

for (const limit of [0, 101, 1.5]) {
  test(`search_documents refuses a limit of ${limit}`, async () => {
    await rejects(library.search_documents({ query: "alaska", limit }), { name: "ToolError", code: "invalid_input" });
  });
}

test("generate_report streams what a plain call gives whole", async () => {
  const stream = library.generate_report.stream({ topic: "penguins" });
  const pieces = await Array.fromAsync(stream);
  ok(pieces.length > 3, `${pieces.length} pieces`);
  strictEqual(await stream.result, pieces.join(""));
  strictEqual(await library.generate_report({ topic: "penguins" }), pieces.join(""));
});

test("generate_report ends its event stream as docs/spec.md A.4 says: done, without content", async () => {
  const response = await server.fetch(
    new Request("http://localhost/mcp-lite/v1/calltools", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: "stream-001",
        method: "tools/call",
        params: { name: "generate_report", arguments: { topic: "quarterly results" } },
      }),
    }),
  );
  strictEqual(response.headers.get("content-type")?.split(";")[0], "text/event-stream");
  const events = (await response.text()).trimEnd().split("\n\n");
  strictEqual(events[0], 'event: message\ndata: {"partial":"# Quarterly results\\n\\n"}');
  const [event, data = ""] = events.at(-1)?.split("\ndata: ") ?? [];
  strictEqual(event, "event: done");
  const result = JSON.parse(data);
  deepStrictEqual(Object.keys(result), ["_meta"]);
  strictEqual(result["_meta"]["response_type"], "answer");
});

test("describe_dataset describes every table", async () => {
  for (const dataset_id of listTableIds()) {
    const { row_count, columns } = await library.describe_dataset({ dataset_id });
    ok(row_count > 0, dataset_id);
    for (const { name, type, min, max, mean, top } of columns) {
      strictEqual(
        min !== undefined && max !== undefined,
        type === "number" || type === "date",
        `${dataset_id}: ${name}`,
      );
      strictEqual(mean !== undefined, type === "number", `${dataset_id}: ${name}`);
      strictEqual(top !== undefined, type === "text" || type === "boolean", `${dataset_id}: ${name}`);
    }
  }
});

test("describe_dataset says which column has which gaps and range", async () => {
  const { columns } = await library.describe_dataset({ dataset_id: "movies" });
  const rating = columns.find(({ name }) => name === "IMDB Rating");
  deepStrictEqual(rating, {
    name: "IMDB Rating",
    type: "number",
    missing: 213,
    distinct: 77,
    min: 1.4,
    max: 9.2,
    mean: 6.2835,
    median: 6.4,
  });
});

test("describe_dataset fails with unknown_dataset and what there is", async () => {
  const outcome = await library.describe_dataset.outcome({ dataset_id: "constructor" });
  strictEqual(outcome.kind, "failure");
  strictEqual(outcome.code, "unknown_dataset");
  deepStrictEqual(outcome.data, { dataset_id: "constructor", available: listTableIds() });
  await rejects(library.describe_dataset({ dataset_id: "" }), { name: "Failure", code: "unknown_dataset" });
});

/** Posts a JSON-RPC call, as a script without our client would. */
async function postCall(id: string, name: string, args: Readonly<Record<string, unknown>>) {
  const request = new Request("http://localhost/mcp-lite/v1/calltools", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }),
  });
  const response = await server.fetch(request);
  strictEqual(response.status, 200);
  const { result, ...rest } = await response.json();
  deepStrictEqual(rest, { jsonrpc: "2.0", id });
  return result;
}

test(
  "analyze_dataset promises and is redeemed as docs/spec.md A.3 says, word for word",
  { timeout: 120_000 },
  async () => {
    const args = { dataset_id: "large_dataset_001", analysis_type: "comprehensive" };
    const promise = await postCall("analysis-001", "analyze_dataset", args);
    deepStrictEqual(Object.keys(promise), ["_meta"]);
    strictEqual(promise["_meta"]["response_type"], "promise");
    const token = promise["_meta"]["promise_token"];
    ok(token.startsWith("prom_"), token);

    let redeemed = await postCall("redeem-001", "redeem", { promise: token });
    // Others have their turn while it is computed.
    strictEqual((await library.describe_dataset({ dataset_id: "burtin" })).row_count, 16);
    while (redeemed["_meta"]["response_type"] === "promise") {
      strictEqual(redeemed["_meta"]["promise_token"], token);
      redeemed = await postCall("redeem-001", "redeem", { promise: token, wait_ms: 1000 });
    }
    strictEqual(redeemed["_meta"]["response_type"], "answer");
    const { dataset_id, analysis_type, row_count, estimates, correlations, findings } = redeemed.content;
    deepStrictEqual([dataset_id, analysis_type, row_count], ["movies", "comprehensive", 3201]);
    strictEqual(estimates.length, 8);
    strictEqual(correlations.length, 28);
    deepStrictEqual(correlations[0], {
      columns: ["US Gross", "Worldwide Gross"],
      count: 3194,
      coefficient: 0.94664,
      p_value: 0.00019996,
    });
    ok(
      findings.length === 6 && findings.every((finding: string) => !/undefined|NaN/.test(finding)),
      findings.join("\n"),
    );
    deepStrictEqual((await postCall("again", "redeem", { promise: token })).content, redeemed.content);
  },
);

test("analyze_dataset tells how far it is until it is cancelled", { timeout: 120_000 }, async () => {
  const work = await library.analyze_dataset.start({ dataset_id: "movies" });
  for await (const { total, message } of work.updates()) {
    strictEqual(total, 100);
    match(message ?? "", /^(Resampling|Shuffling) /);
    break;
  }
  strictEqual(await work.cancel(), true);
  await rejects(work.result(), { name: "Failure", code: "cancelled" });
});

test(
  "analyze_dataset answers for every other table, and says no to one that is not there",
  { timeout: 120_000 },
  async () => {
    for (const dataset_id of listTableIds().filter((id) => id !== "movies")) {
      const { correlations } = await library.analyze_dataset({ dataset_id, analysis_type: "correlations" });
      for (const { coefficient, p_value } of correlations) {
        ok(Math.abs(coefficient) <= 1 && p_value > 0 && p_value <= 1, dataset_id);
      }
    }
    await rejects(library.analyze_dataset({ dataset_id: "nothing" }), { name: "Failure", code: "unknown_dataset" });
    await rejects(library.$.call("analyze_dataset", { dataset_id: "cars", analysis_type: "brief" }), {
      code: "invalid_input",
    });
  },
);

/** Exports the penguins, with these answers. */
function exportPenguins(onElicitation: AnswerQuestion, onMoreRequested: AnswerQuestion) {
  const answering = createClient<typeof server>(memoryTransport(server), {
    onElicitation: onElicitation,
    onMoreRequested: onMoreRequested,
  });
  return answering.export_dataset({ dataset_id: "penguins" });
}

test("export_dataset asks how many rows, and for a grant of those that are not free", async () => {
  const asked: unknown[] = [];
  const want = (rows: number): AnswerQuestion => () => ({ action: "accept", content: { rows } });
  const grant: AnswerQuestion = ({ params }) => {
    asked.push(params?.["amount"]);
    return { action: "accept" };
  };
  const few = await exportPenguins(want(20), grant);
  strictEqual(few.row_count, 20);
  deepStrictEqual(asked, []);
  const many = await exportPenguins(want(344), grant);
  deepStrictEqual(asked, [324]);
  strictEqual(parseCsv(many.csv).length, 344);
  deepStrictEqual(parseCsv(few.csv), parseCsv(many.csv).slice(0, 20));

  const deny: AnswerQuestion = () => ({ action: "decline" });
  await rejects(exportPenguins(want(21), deny), { name: "Failure", code: "resource_denied" });
  await rejects(exportPenguins(deny, grant), { name: "Failure", code: "not_wanted" });
  await rejects(library.export_dataset({ dataset_id: "nothing" }), { name: "Failure", code: "unknown_dataset" });
});

test("a misspelt tool is answered with the nearest", async () => {
  const details = await library.$.call("serch_documents", { query: "x" }).then(
    () => undefined,
    ({ details }) => details,
  );
  strictEqual(details?.suggestion, "Did you mean 'search_documents'?");
});

test("the server answers for this machine only", async () => {
  const request = new Request("http://attacker.example/mcp-lite/v1/tools", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  strictEqual((await server.fetch(request)).status, 403);
});
