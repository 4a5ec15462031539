/** The pages of the documentation, and their sections. `docs/README.md` lists the pages, with a group and a sentence for each. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A page of the documentation that `docs/README.md` lists. */
export interface DocsPage {
  /** Path below `docs/`, without `.md`: `promises`. */
  readonly name: string;
  readonly title: string;
  /** Heading above it in `docs/README.md`. */
  readonly group: string;
  /** What it is for: a sentence in Markdown. */
  readonly about: string;
  /** Its Markdown. */
  readonly text: string;
}

/** A part of a page, from a heading to the next one of any level. */
export interface Section<Page = DocsPage> {
  readonly page: Page;
  /** Text of the heading. */
  readonly heading: string;
  /** Anchor of the heading, as code hosts derive it. Equal headings of a page have the same one. */
  readonly anchor: string;
  /** 1 for the title of the page, 2 to 6 for the headings below it. */
  readonly level: number;
  /** Markdown from the heading on. */
  readonly text: string;
}

/**
 * Reads the pages that `README.md` lists, in its order. Those whose file does not exist are skipped, as in a package.
 *
 * @param folder The folder `docs`.
 * @throws The error of the file system if it has no README.md.
 */
export function readPages(folder: string): readonly DocsPage[] {
  const list = readFileSync(join(folder, "README.md"), "utf8");
  const rows = list.matchAll(/^## (.+)$|^- \[([^\]]+)\]\(([\w/-]+)\.md\): (.+)$/gm);
  let group = "";
  return Array.from(rows).flatMap(([, heading, title = "", name = "", about = ""]): DocsPage[] => {
    if (heading !== undefined) group = heading;
    const file = join(folder, `${name}.md`);
    return name === "" || !existsSync(file) ? [] : [{ name, title, group, about, text: readFileSync(file, "utf8") }];
  });
}

/** Divides a page at its headings. Lines of code are not headings. Text before the first heading is left out. */
export function sectionsOf<Page extends Pick<DocsPage, "text">>(page: Page): readonly Section<Page>[] {
  const sections: { heading: string; level: number; lines: string[] }[] = [];
  let fence = "";
  for (const line of page.text.trimEnd().split("\n")) {
    const [, mark = ""] = /^ *(`{3,})/.exec(line) ?? [];
    if (fence === "") fence = mark;
    else if (mark.length >= fence.length && line.trim() === mark) fence = "";
    const [, marks, heading = ""] = (fence === "" && /^(#+) (.*)$/.exec(line)) || [];
    if (marks !== undefined) sections.push({ heading, level: marks.length, lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ heading, level, lines }) => ({
    page,
    heading: heading.replaceAll(/[`*]|\]\([^)]*\)|\[/g, ""),
    anchor: anchorOf(heading),
    level,
    text: lines.join("\n").trimEnd(),
  }));
}

function anchorOf(heading: string): string {
  return heading.replaceAll(/\]\([^)]*\)/g, "").toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

/** Returns the Markdown of a section and of those below it; `undefined` if no heading has the anchor. */
export function readSection(page: DocsPage, anchor: string): string | undefined {
  const sections = sectionsOf(page);
  const first = sections.findIndex((section) => section.anchor === anchor);
  const level = sections[first]?.level;
  if (level === undefined) return undefined;
  const length = sections.slice(first + 1).findIndex((section) => section.level <= level);
  return sections.slice(first, length < 0 ? undefined : first + 1 + length).map(({ text }) => text).join("\n\n");
}
