/**
 * Checks of the files of the built site: title and description of each page, links and anchors, and requests to other origins.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { dist } from "./static_server.mjs";

/** All problems of the built pages, as text. */
export function findFileProblems() {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
  const pages = new Map(
    files.filter((file) => file.endsWith(".html") && !file.startsWith("play/") && file !== "404.html")
      .map((file) => [file, parsePage(readFileSync(join(dist, file), "utf8"))]),
  );
  const served = new Set(files);
  const problems = [...pages].flatMap(([file, page]) =>
    [
      ...(page.title.length > 10 ? [] : ["has no title"]),
      ...(page.description.length >= 20 ? [] : ["has no description"]),
      ...page.loaded.filter((url) => /^(https?:)?\/\//.test(url)).map((url) => `loads ${url}`),
      ...page.links.filter((href) => !leadsSomewhere(file, href, pages, served))
        .map((href) => `has a dead link: ${href}`),
      ...(WITHOUT_TEXT.has(file) || served.has(page.alternate.slice(1)) ? [] : ["has no Markdown beside it"]),
    ].map((problem) => `${file} ${problem}`)
  );
  return [
    ...problems,
    ...findListProblems(served),
    ...repeated([...pages], "title"),
    ...repeated([...pages], "description"),
  ];
}

/** Pages that are made of other pages. */
const WITHOUT_TEXT = new Set(["index.html", "play.html"]);

/** Lines of llms.txt that lead to no Markdown of the site. */
function findListProblems(served) {
  const list = readFileSync(join(dist, "llms.txt"), "utf8");
  const names = [...list.matchAll(/^- \[[^\]]+\]\(https?:\/\/[^/]+\/(?:toolwire@[^/]+\/docs\/)?([^)]+)\): /gm)].map((
    [, name],
  ) => name);
  return [
    ...(names.length > 40 && served.has("llms-full.txt") ? [] : [`llms.txt has ${names.length} pages`]),
    ...names.filter((name) => !served.has(name)).map((name) => `llms.txt has a dead link: ${name}`),
  ];
}

function parsePage(html) {
  const all = (pattern) => [...html.matchAll(pattern)].map(([, found]) => found.replaceAll("&amp;", "&"));
  return {
    title: all(/<title>([^<]*)<\/title>/g)[0] ?? "",
    description: all(/<meta name="description" content="([^"]*)"/g)[0] ?? "",
    alternate: all(/<link rel="alternate" type="text\/markdown" href="([^"]+)"/g)[0] ?? "",
    links: all(/<a\b[^>]* href="([^"]+)"/g),
    loaded: [
      ...all(/<(?:script|img|iframe|source)\b[^>]* src="([^"]+)"/g),
      ...all(/<link\b[^>]* href="([^"]+)"/g),
    ],
    ids: new Set(all(/ id="([^"]+)"/g)),
  };
}

function leadsSomewhere(file, href, pages, served) {
  if (/^(https?|mailto):/.test(href)) return true;
  const [path, anchor = ""] = href.split("#");
  const to = path === "" ? file : posix.join(path.startsWith("/") ? "" : posix.dirname(file), path).replace(
    /^\//,
    "",
  );
  const target = [to, `${to}.html`, posix.join(to, "index.html")].find((name) =>
    served.has(name) && /\.\w+$/.test(name)
  );
  if (target === undefined) return false;
  return anchor === "" ||
    (pages.get(target)?.ids.has(decodeURIComponent(anchor)) ?? false);
}

function repeated(pages, member) {
  const seen = new Map();
  return pages.flatMap(([file, page]) => {
    const first = seen.get(page[member]);
    seen.set(page[member], file);
    return first === undefined ? [] : [`${file} has the ${member} of ${first}`];
  });
}
