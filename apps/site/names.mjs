/**
 * Links from names in the prose of a page to where they are described: exports and their members to the reference, entries to their page of
 * it, error codes to their section of docs/errors.md. Only the site has these links; the Markdown of the repository keeps plain names.
 *
 * @module
 */
import { anchorOf } from "./pages.mjs";

/** @typedef {{ entry: string, link: string }} Place Where an export is described. */
/** @typedef {{ exports: Map<string, Place[]>, members: Map<string, string>, entries: Map<string, string>, codes: Map<string, string> }} Names */

/** Values that pages call by one name, and the type that has their members. `""` is a step of a definition, as in `.input(…)`. */
const OWNERS = { ctx: "Ctx", server: "Server", "": "ToolBuilder" };

/**
 * What can be linked.
 *
 * @param {readonly import("./reference.mjs").ReferencePage[]} reference
 * @param {string} errorsPage the Markdown of docs/errors.md
 * @returns {Names}
 */
export function collectNames(reference, errorsPage) {
  const exports = new Map();
  const members = new Map();
  for (const { file, title, markdown } of reference) {
    for (const { name, anchor, section } of sectionsOf(markdown)) {
      const link = `/reference/${file}#${anchor}`;
      exports.set(name, [...exports.get(name) ?? [], { entry: title, link }]);
      const owner = Object.keys(OWNERS).find((owner) => OWNERS[owner] === name);
      if (owner === undefined || title !== "toolwire") continue;
      for (const member of membersOf(section)) members.set(`${owner}.${member}`, link);
    }
  }
  // `cancelled` is a state of jobs and tasks on more pages than it is an error.
  const codes = Array.from(errorsPage.matchAll(/^### `(\w+)`$/gm), ([, code]) => [code, `/errors.md#${code}`])
    .filter(([code]) => code !== "cancelled");
  // `toolwire` alone is mostly the command.
  const subpaths = reference.filter(({ title }) => title.includes("/"));
  const entries = new Map(subpaths.map(({ file, title }) => [title, `/reference/${file}`]));
  return { exports, members, entries, codes: new Map(codes) };
}

/** The exports of a page of the reference, with the anchors that VitePress gives their headings. */
function sectionsOf(markdown) {
  const seen = new Map();
  return markdown.split(/^(?=#{1,6} )/m).map((section) => {
    const [, marks = "", heading = ""] = /^(#+) (.*)/.exec(section) ?? [];
    const slug = anchorOf(heading);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return { marks, name: heading, anchor: times === 0 ? slug : `${slug}-${times}`, section };
  }).filter(({ marks, name }) => marks === "###" && /^\w+$/.test(name));
}

/** The members of an interface, from its signature. */
function membersOf(section) {
  const [, signature = ""] = /^```ts signature\n([^]*?)^```$/m.exec(section) ?? [];
  return new Set(Array.from(signature.matchAll(/^ {2}(?:readonly )?(\w+)\??[(<:]/gm), ([, name]) => name));
}

/** A link, an image or a URL; a failure of a tool, which may have the name of an error code; or code. */
const LINK_OR_CODE = /\bfailure `\w+`|!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)\s]+\)|(?<!`)`([^`]+)`(?!`)/g;

/**
 * Links the first mention of each name in a section, if it is not described there itself. Code blocks, headings, links, and the names of options in the first column of their
 * tables stay as they are.
 *
 * @param {string} markdown
 * @param {Names} names
 * @param {{ home?: string, isForeign?: boolean }} page `home` is the entry that a page of the reference describes; `isForeign` is for
 * pages about other packages: of exports, only those that the page imports are linked there.
 */
export function linkNames(markdown, names, { home, isForeign = false } = {}) {
  const imports = importsOf(markdown);
  let seen = new Set();
  let isOptions = false;
  const linkLine = (line) => {
    if (/^#{1,6} /.test(line)) {
      seen = new Set([anchorOf(line.replace(/^#+ /, ""))]);
      return line;
    }
    if (!line.startsWith("|")) isOptions = false;
    else if (/^\| option \|/.test(line)) isOptions = true;
    const from = isOptions ? line.indexOf("|", 1) : 0;
    return line.slice(0, from) + line.slice(from).replaceAll(LINK_OR_CODE, (found, label, code) => {
      const name = code ?? /^`([^`]+)`$/.exec(label ?? "")?.[1];
      const target = name === undefined ? undefined : targetOf(name, names, { home, isForeign, imports });
      if (target === undefined || seen.has(target.name) || seen.has(target.link.split("#")[1])) return found;
      seen.add(target.name);
      return code === undefined ? found : `[${found}](${target.link})`;
    });
  };
  return markdown.split(/(^ *(?:`{3,})[^\n]*\n[^]*?^ *`{3,} *$)/m)
    .map((part, at) => at % 2 === 0 ? part.split("\n").map(linkLine).join("\n") : part).join("");
}

/** The entries from which the examples of a page import a name. */
function importsOf(markdown) {
  const found = markdown.matchAll(/^import (?:type )?\{([^}]*)\} from "(?:jsr:@toolwire\/)?(toolwire[\w/-]*)"/gm);
  return new Map(
    Array.from(found).flatMap(([, list, entry]) => {
      const imported = list.split(",").map((item) => item.trim().replace(/^type /, "").replace(/ as .*/, ""));
      return imported.filter(Boolean).map((name) => [name, entry]);
    }),
  );
}

function targetOf(code, { exports, members, entries, codes }, { home, isForeign, imports }) {
  const whole = entries.get(code) ?? codes.get(code);
  if (whole !== undefined) return { name: code, link: whole };
  const [, owner, member] = /^(ctx|server|)\.(\w+)(?:\(.*)?$/.exec(code) ?? [];
  const ofMember = member === undefined || isForeign ? undefined : members.get(`${owner}.${member}`);
  if (ofMember !== undefined) return { name: `${owner}.${member}`, link: ofMember };
  const [, name = "", call] = /^(\w+)(\(.*\))?$/.exec(code) ?? [];
  const places = exports.get(name);
  const entry = imports.get(name);
  if (places === undefined || (isForeign && entry === undefined)) return undefined;
  // A plain word, such as `answer`, is a name of the package if it is called, or the page imports it.
  if (call === undefined && entry === undefined && home === undefined && /^[a-z]+$/.test(name)) return undefined;
  const ofEntry = places.find(({ entry: of }) => of === (entry ?? home));
  return { name, link: (ofEntry ?? places.find((place) => place.entry === "toolwire") ?? places[0]).link };
}
