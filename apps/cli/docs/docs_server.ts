/** A server of the documentation, made as users make theirs: two tools, a resource for each page, and the skills of the package. */
// Not ./schema: esbuild drops the "export *" of an entry that shares its module with another one.
import * as v from "valibot";
import { createServer, type Server } from "../../../mod.ts";
import { SCHEMA_ADAPTERS } from "../../../src/core/schema/all_adapters.ts";
import { toolDefiner } from "../../../src/core/tool/define_tool.ts";
import { SearchIndex } from "../../../src/inspection/tool_search/search_index.ts";
import { skills } from "../../../src/entries/skills.ts";
import { closestMatch } from "../../../src/internal/closest_match.ts";
import { cutText } from "../../../src/internal/text.ts";
import { VERSION } from "../../../src/internal/version.ts";
import { defineResource } from "../../../src/entries/mcp.ts";
import { type DocsPage, readPages, readSection, type Section, sectionsOf } from "./pages.ts";

const defineTool = toolDefiner(...SCHEMA_ADAPTERS);
const EXCERPT = 400;
const HINTS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

const Found = v.object({
  page: v.pipe(v.string(), v.description("Name for read_page")),
  section: v.pipe(v.string(), v.description("Anchor for read_page")),
  title: v.string(),
  excerpt: v.string(),
});

/**
 * Creates the MCP server of `toolwire docs`, with all pages in memory. The caller serves it.
 *
 * @param root Folder of the package, with `docs` and `skills`.
 */
export async function createDocsServer(root: string): Promise<Server> {
  const pages = readPages(`${root}/docs`);
  return createServer({
    name: "toolwire-docs",
    title: "Documentation of Toolwire",
    version: VERSION,
    instructions:
      "The documentation of the installed version of Toolwire. Search it before you write code with Toolwire.",
    tools: [searchDocs(pages.flatMap(sectionsOf)), readPage(pages)],
    resources: [pageResource(pages), ...await skills(`${root}/skills`)],
  });
}

function searchDocs(sections: readonly Section[]) {
  const index = new SearchIndex(sections.map(({ page, heading, text }) => ({
    name: heading,
    ownName: heading,
    group: `${page.title} ${page.name}`,
    description: text,
    // Words of the page rank its sections above those that mention them in passing.
    parameters: page.about,
    parameterDescriptions: "",
  })));
  return defineTool("search_docs")
    .title("Search the documentation")
    .describe("Search the documentation of Toolwire. Returns the best sections of its pages; read them with read_page.")
    .input(v.object({
      query: v.pipe(v.string(), v.minLength(1), v.maxLength(300), v.description('Words, such as "retry a promise"')),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)), 5),
    }))
    .output(v.array(Found))
    .annotate(HINTS)
    .render((found) => found.map(renderFound).join("\n\n") || "No section has these words. Try other ones.")
    .handle(({ query, limit }) => index.search(query, limit).found.flatMap((at) => sections[at] ?? []).map(toFound));
}

function toFound({ page, heading, anchor, text }: Section): v.InferOutput<typeof Found> {
  const title = heading === page.title ? heading : `${page.title}: ${heading}`;
  const body = text.slice(text.indexOf("\n") + 1).trim();
  return {
    page: page.name,
    section: anchor,
    title,
    excerpt: body.length > EXCERPT ? `${cutText(body, EXCERPT)}…` : body,
  };
}

function renderFound({ page, section, title, excerpt }: v.InferOutput<typeof Found>): string {
  return `## ${title}\nread_page({ page: "${page}", section: "${section}" })\n\n${excerpt}`;
}

function readPage(pages: readonly DocsPage[]) {
  const names = pages.map(({ name }) => name);
  return defineTool("read_page")
    .title("Read a page")
    .describe('Read a page of the documentation of Toolwire, as Markdown. The page "README" lists all pages.')
    .input(v.object({
      page: v.pipe(v.string(), v.description('Name, such as "tools" or "promises"'), v.examples(["README", "tools"])),
      section: v.optional(v.pipe(v.string(), v.description("Anchor of a heading: only this section"))),
    }))
    .errors({ not_found: v.object({ similar: v.array(v.string()) }) })
    .annotate(HINTS)
    .handle(({ page: asked, section }, ctx) => {
      const name = asked.replace(/^\.?\/?(docs\/)?/, "").replace(/\.md$/, "");
      if (name === "README") return listOf(pages);
      const page = pages.find((one) => one.name === name);
      if (page === undefined) {
        const similar = closestMatch(name, names);
        const message = `There is no page ${JSON.stringify(asked)}; read the page "README", which lists all`;
        throw ctx.fail("not_found", message, { similar: similar === undefined ? [] : [similar] });
      }
      const text = section === undefined ? page.text : readSection(page, section.replace(/^#/, ""));
      if (text !== undefined) return text;
      const similar = sectionsOf(page).map(({ anchor }) => anchor);
      throw ctx.fail("not_found", `The page ${name} has no section ${JSON.stringify(section)}`, { similar });
    });
}

/** The pages by group, with what each is for. */
function listOf(pages: readonly DocsPage[]): string {
  return [...Map.groupBy(pages, ({ group }) => group)].map(([group, members]) =>
    [`## ${group}`, "", ...members.map(({ name, about }) => `- ${name}: ${about}`)].join("\n")
  ).join("\n\n");
}

function pageResource(pages: readonly DocsPage[]) {
  return defineResource("docs://toolwire/{+page}")
    .title("A page of the documentation")
    .mimeType("text/markdown")
    .complete({ page: (value) => pages.map(({ name }) => name).filter((name) => name.startsWith(value)) })
    .list(() => pages.map(({ name, title, about }) => ({ variables: { page: name }, name, title, description: about })))
    .read(({ page }) => pages.find(({ name }) => name === page)?.text);
}
