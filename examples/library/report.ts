/**
 * Written reports, section by section: on a table, if the topic names one, else on what a search for the topic finds.
 *
 * Every number in a report is computed from the rows when it is asked for. The text is Markdown.
 *
 * @module
 */
import { catalog, findTable } from "./catalog.ts";
import { numberOf } from "./cells.ts";
import { capitalize, countNoun, formatCount, formatDate, formatShare, joinWords } from "./format.ts";
import type { FoundRow } from "./search.ts";
import { searchRows } from "./search.ts";
import { countValues, numbersOf, rankRows, summarizeColumn, summarizeGroups, summarizeNumbers } from "./statistics.ts";
import type { Comparison, Grouping, Measure, Ranking } from "./table_spec.ts";
import type { Table } from "./tables.ts";
import { cellsOf, loadTable } from "./tables.ts";

/** Most rows a report on a search looks at. */
const mostRowsFound = 1000;

/** Longest topic repeated in a report, in characters. */
const mostTopicLength = 80;

/**
 * Writes a report.
 *
 * @param topic A table's name, or anything to search for.
 * @returns The report in pieces, to be joined as they are.
 */
export async function* writeReport(topic: string): AsyncGenerator<string, void> {
  const table = await loadTable(findTable(topic)?.id ?? "");
  yield* table === undefined ? reportOnSearch(topic) : reportOnTable(table);
}

function* reportOnTable(table: Table): Generator<string, void> {
  yield `# ${table.title}\n\n${table.about}\n\n`;
  yield `${writeExtent(table)}\n`;
  yield writeSection("In numbers", table.measures.flatMap((measure) => writeMeasure(table, measure)));
  yield writeSection("How they divide", [
    ...table.groupings.map((grouping) => writeGrouping(table, grouping)),
    ...(table.comparison === undefined ? [] : writeComparison(table, table.comparison)),
  ]);
  yield writeSection("Worth a look", table.rankings.map((ranking) => writeRanking(table, ranking)));
  yield writeSection("What is missing", [writeGaps(table)]);
  yield `\nComputed from ${table.file} of the vega-datasets package.\n`;
}

async function* reportOnSearch(topic: string): AsyncGenerator<string, void> {
  const subject = topic.replace(/\s+/g, " ").trim().slice(0, mostTopicLength);
  yield `# ${capitalize(subject) || "Nothing in particular"}\n\n`;
  const { total, isComplete, hits } = await searchRows(topic, mostRowsFound);
  if (total === 0) {
    yield writeNothingFound(subject);
    return;
  }
  const byTable = [...Map.groupBy(hits, (hit) => hit.source)];
  const counts = byTable.map(([table, found]) => countNoun(found.length, ...table.noun));
  yield `The library has ${countNoun(total, "row", "rows")} on “${subject}”${
    isComplete ? "" : " (none with every word of it)"
  }: `;
  yield `${joinWords(counts)}${total > hits.length ? `, counting the best ${formatCount(hits.length)} only` : ""}.\n`;
  for (const [table, found] of byTable) yield writeFound(table, found);
  yield `\nComputed from ${joinWords(byTable.map(([table]) => table.file))} of the vega-datasets package.\n`;
}

/** `The table has 3,201 films in 16 columns, from 8 February 1915 to 23 December 2011.` */
function writeExtent({ rows, columns, noun, span }: Table): string {
  const { min, max } = span === undefined ? {} : summarizeColumn(span, cellsOf(rows, span));
  const reach = min === undefined || max === undefined ? "" : `, from ${writeMoment(min)} to ${writeMoment(max)}`;
  return `The table has ${countNoun(rows.length, ...noun)} in ${columns.length} columns${reach}.`;
}

/** A year is a number and stays as it is. */
function writeMoment(moment: string | number): string {
  return typeof moment === "number" ? String(moment) : formatDate(moment);
}

function writeSection(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n## ${title}\n\n${lines.map((line) => `- ${line}\n`).join("")}`;
}

function writeMeasure({ rows, noun }: Table, { column, name, format, unit = "" }: Measure): string[] {
  const numbers = numbersOf(rows, column);
  const summary = summarizeNumbers(numbers);
  if (summary === undefined) return [];
  const without = rows.length - numbers.length;
  const gap = without === 0 ? "" : ` (${countNoun(without, ...noun)} without)`;
  return [
    `${capitalize(name)}: from ${format(summary.min)} to ${format(summary.max)}${unit}; ` +
    `the mean is ${format(summary.mean)}${unit}, the median ${format(summary.median)}${unit}${gap}.`,
  ];
}

function writeGrouping({ rows, noun }: Table, { column, name }: Grouping): string {
  const values = countValues(cellsOf(rows, column));
  // Where even the commonest value is rare, shares would all say "under 1%".
  const hasShares = (values[0]?.count ?? 0) >= rows.length / 50;
  const shown = values.slice(0, 5).map(({ value, count }) => {
    return `${value} (${formatCount(count)}${hasShares ? `, ${formatShare(count, rows.length)}` : ""})`;
  });
  const others = values.length - shown.length;
  const rest = others === 0 ? "" : `, then ${countNoun(others, "other", "others")}`;
  const without = rows.length - values.reduce((sum, { count }) => sum + count, 0);
  return `By ${name}: ${joinWords(shown)}${rest}${without === 0 ? "" : `; ${countNoun(without, ...noun)} without`}.`;
}

function writeComparison({ rows, noun }: Table, { grouping, measure, by, fewestRows }: Comparison): string[] {
  const groups = summarizeGroups(rows, { group: grouping.column, measure: measure.column, by, fewestRows });
  const first = groups[0];
  const last = groups.at(-1);
  if (first === undefined || last === undefined || first === last) return [];
  const { format, unit = "" } = measure;
  return [
    `The ${by === "mean" ? "mean" : "sum of"} ${measure.name} is highest for ${first.value} (${
      format(first[by])
    }${unit}) ` +
    `and lowest for ${last.value} (${format(last[by])}${unit}), among the ${groups.length} with ${fewestRows} ${
      noun[1]
    } or more.`,
  ];
}

function writeRanking({ rows, titleOf }: Table, { name, measure, order, atLeast }: Ranking): string {
  const { column, format, unit = "" } = measure;
  const eligible = atLeast === undefined
    ? rows
    : rows.filter((row) => (numberOf(row, atLeast.column) ?? 0) >= atLeast.value);
  // Penguins have no names: leaders that share a title are written in one phrase.
  const leaders = [...Map.groupBy(rankRows(eligible, column, order, 3), titleOf)].map(([title, namesakes]) => {
    return `${title} (${joinWords(numbersOf(namesakes, column).map(format))}${unit})`;
  });
  const rule = atLeast === undefined ? "" : `, of those with ${formatCount(atLeast.value)} ${atLeast.name} or more`;
  // Titles contain commas, so a semicolon separates them.
  return `${name}${rule}: ${leaders.join("; ")}.`;
}

function writeGaps({ rows, columns }: Table): string {
  const gaps = columns
    .map((column) => ({ column, missing: cellsOf(rows, column).filter((cell) => cell === null).length }))
    .filter(({ missing }) => missing > 0)
    .sort((left, right) => right.missing - left.missing);
  if (gaps.length === 0) {
    return `Nothing: every one of the ${countNoun(rows.length, "row", "rows")} has all ${columns.length} columns.`;
  }
  const worst = gaps.slice(0, 3).map(({ column, missing }) =>
    `“${column}” (${formatCount(missing)}, ${formatShare(missing, rows.length)})`
  );
  if (gaps.length === 1) return `Only ${worst[0] ?? ""} has gaps, of ${columns.length} columns.`;
  return `${gaps.length} of the ${columns.length} columns have gaps, most of all ${joinWords(worst)}.`;
}

/** One table's part of a search: its best rows, and what sets all of them apart from the rest of the table. */
function writeFound(table: Table, found: readonly FoundRow[]): string {
  const best = found.slice(0, 5).map(({ title, excerpt }, index) => `${index + 1}. ${title}. ${excerpt}\n`).join("");
  const rest = found.length > 5 ? `\nand ${formatCount(found.length - 5)} more.\n` : "";
  const remarks = found.length < 3 ? [] : table.measures.flatMap((measure) => writeContrast(table, found, measure));
  const contrast = remarks.length === 0 ? "" : `\n${remarks.map((remark) => `- ${remark}\n`).join("")}`;
  return `\n## ${table.title}: ${formatCount(found.length)}\n\n${best}${rest}${contrast}`;
}

function writeContrast(
  { rows, noun }: Table,
  found: readonly FoundRow[],
  { column, name, format, unit = "" }: Measure,
): string[] {
  const here = summarizeNumbers(numbersOf(found.map(({ row }) => row), column));
  const overall = summarizeNumbers(numbersOf(rows, column));
  // The mean of a constant column, such as one year, has no information.
  if (here === undefined || overall === undefined || here.min === here.max) return [];
  return [
    `${capitalize(name)}: from ${format(here.min)} to ${format(here.max)}${unit}; the mean is ${
      format(here.mean)
    }${unit}, ` +
    `against ${format(overall.mean)}${unit} for all ${formatCount(rows.length)} ${noun[1]}.`,
  ];
}

function writeNothingFound(subject: string): string {
  return [
    `The library has nothing on “${subject}”.\n\n`,
    "A report can be had on any of its tables:\n\n",
    ...catalog.map(({ id, about }) => `- ${id}: ${about}\n`),
    "\nor on whatever a search can find in them, such as “Spielberg”, “Chicago” or “Kodiak”.\n",
  ].join("");
}
