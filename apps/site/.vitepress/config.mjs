/** Configuration of the site, for VitePress. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { defineConfig } from "vitepress";
import { renderCode } from "../code.mjs";
import { renderDiagram } from "../diagrams.mjs";
import { NAV } from "../nav.mjs";
import { anchorOf, urlOf } from "../pages.mjs";
import { markTables } from "../tables.mjs";
import { textPathOf, writeTexts } from "../texts.mjs";
import { canRun } from "../playground_modules.mjs";

const prepared = (file) =>
  JSON.parse(
    readFileSync(
      fileURLToPath(new URL(`../.work/${file}`, import.meta.url)),
      "utf8",
    ),
  );
const reference = prepared("reference.json");
const types = new Map(prepared("types.json"));
const entries = reference.map(({ file, title }) => ({
  text: title,
  link: `/reference/${file.replace(/\.md$/, "")}`,
}));
const MESSAGES = { text: "Messages of errors", link: "/reference/messages" };
const OPEN = new Set(["Start", "Tutorials", "Guides: build"]);

const ICON = "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d57c7"/><path d="M7 11h18M16 11v13M9 18h4m6 0h4" stroke="#fff" stroke-width="3" stroke-linecap="round" fill="none"/></svg>',
  );

const base = process.env.SITE_BASE ?? "/";

export default defineConfig({
  base,
  srcDir: ".work/pages",
  outDir: ".work/dist",
  cacheDir: ".work/cache",
  lang: "en",
  title: "Toolwire",
  description: "Define a tool once; serve it on every wire; call it, typed, from anywhere.",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: ICON }]],
  transformHead: ({ pageData }) => alternateOf(pageData.relativePath),
  buildEnd: ({ outDir }) => writeTexts(outDir, process.env.SITE_URL),
  markdown: {
    highlight: (code, language, marks) => renderCode(code, `${language} ${marks}`, types),
    anchor: { slugify: anchorOf },
    config: (markdown) => addFences(markdown),
  },
  // VitePress gives the bar this class after it has loaded, and the bar moves.
  transformHtml: (html) =>
    html.includes('class="VPSidebar"') ? html.replace('class="VPNavBar"', 'class="VPNavBar has-sidebar top"') : html,
  themeConfig: {
    logo: { src: ICON, alt: "" },
    nav: [
      {
        text: "Tutorials",
        link: "/tutorials/first-server",
        activeMatch: "^/tutorials/",
      },
      {
        text: "Guides",
        link: "/getting-started",
        activeMatch: "^/(getting-started|guides)",
      },
      { text: "Concepts", link: "/concepts" },
      { text: "Reference", link: "/reference/", activeMatch: "^/reference/" },
      { text: "Run it", link: "/play" },
    ],
    sidebar: {
      "/reference/": [{ text: "All pages", link: "/getting-started" }, MESSAGES, {
        text: "Entries",
        link: "/reference/",
        items: entries,
      }],
      "/": NAV.map(({ title, pages }) => ({
        text: title,
        collapsed: !OPEN.has(title),
        items: itemsOf(title, pages),
      })),
    },
    outline: { level: [2, 3] },
    search: { provider: "local", options: { miniSearch: { searchOptions: { boostDocument } } } },
    externalLinkIcon: true,
  },
  vite: {
    build: { chunkSizeWarningLimit: 4_000 },
    server: { fs: { allow: [fileURLToPath(new URL("..", import.meta.url))] } },
  },
});

/**
 * Weight of a page among the results of the search: a reader who types words has a question, which pages for users answer, while the reference
 * repeats each word for every name. The browser gets this function as text, so it uses nothing of this module.
 */
function boostDocument(id) {
  // Messages of errors are searched for by their text.
  if (id.includes("/reference/messages")) return 0.7;
  return /\/(reference|decisions|how-it-works)\/|\/(spec|tests|testing-the-sdk|architecture|style|guarantees|coming-from[^#]*)(\.html)?(#|$)/
      .test(id)
    ? 0.3
    : 1;
}

/** The link to the Markdown of a page. */
function alternateOf(page) {
  const path = textPathOf(page);
  return path === undefined ? [] : [["link", {
    rel: "alternate",
    type: "text/markdown",
    href: base + path,
  }]];
}

function itemsOf(title, pages) {
  const items = pages.map(({ page, title }) => ({
    text: title,
    link: urlOf(page),
  }));
  return title === "Reference: program"
    ? [{ text: "API of each entry", link: "/reference/" }, MESSAGES, ...items]
    : items;
}

/** Pages of the site itself; in those of the repository `<name>` is text, as on code hosts. */
const WITH_HTML = new Set(["index.md", "play.md"]);

/** Draws Mermaid fences, and adds a link to fences that run in a page. */
function addFences(markdown) {
  markdown.core.ruler.before("block", "html_by_page", ({ md, env }) => {
    md.options.html = WITH_HTML.has(env.relativePath);
  });
  markdown.core.ruler.push("mark_tables", ({ tokens }) => markTables(tokens));
  markdown.renderer.rules.table_open = (tokens, at, options, _, self) => self.renderToken(tokens, at, options);
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, at, options, env, self) => {
    const { info, content } = tokens[at];
    if (info.trim() === "mermaid") {
      return renderDiagram(content, headingBefore(tokens, at));
    }
    const folded = fence(tokens, at, options, env, self);
    // The first program of all shows where its names come from.
    const html = env.relativePath === "index.md"
      ? folded.replace('<details class="imports">', '<details class="imports" open>')
      : folded;
    if (!canRun(info, content)) return html;
    return html.replace(
      /<\/div>\s*$/,
      '<a class="run" href="/play" data-run>Edit and run</a></div>',
    );
  };
}

function headingBefore(tokens, at) {
  const heading = tokens.slice(0, at).findLastIndex(({ type }) => type === "heading_open");
  return tokens[heading + 1]?.content ?? "Diagram";
}
