/** The table of what a model sees. */
import { ADAPTERS } from "./adapters.ts";
import { CASES } from "./cases.ts";

/**
 * What was seen, in Markdown: a table of the cases that are the same with all adapters, and a table of the others, a row for each adapter.
 *
 * @param seen What was seen, by adapter and case.
 */
export function tableOf(seen: ReadonlyMap<string, string>): string {
  const cellsOf = (name: string) => ADAPTERS.map((adapter) => seen.get(`${adapter.name} ${name}`) ?? "lost");
  const isSame = (name: string) => new Set(cellsOf(name)).size === 1;
  const same = CASES.filter(({ name }) => isSame(name)).map(({ name }) => [name, cellsOf(name)[0] ?? "lost"]);
  const others = CASES.filter(({ name }) => !isSame(name));
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    "These are the same with all of them:",
    "",
    row(["the tool has", "the model gets"]),
    "|---|---|",
    ...same.map(row),
    "",
    "The others differ:",
    "",
    row(["", ...others.map(({ name }) => name)]),
    `|${"---|".repeat(others.length + 1)}`,
    ...ADAPTERS.map((adapter, index) =>
      row([adapter.name, ...others.map(({ name }) => cellsOf(name)[index] ?? "lost")])
    ),
  ].join("\n");
}
