/**
 * Colours of code, in the pages and in the editor: a pass over tokens, which needs no grammar. The theme's style sheet has the colours
 * of the classes.
 */

const KEYWORDS =
  "abstract as async await break case catch class const continue declare default delete do else export extends finally for from function if implements import in instanceof interface keyof let new null of readonly return satisfies static super switch this throw try true false type typeof undefined using var void while yield";

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const words = (list) => String.raw`(?<keyword>(?<![.\w$])(?:${list.replaceAll(" ", "|")})\b(?!\s*:(?!:)))`;
const STRING = String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` +
  "`(?:[^`\\\\]|\\\\.)*`)";
const NUMBER = String.raw`(?<number>(?<![\w$])\d[\d_.]*\w*)`;
const tokens = (...parts) => new RegExp(parts.join("|"), "g");

const SCRIPT = tokens(
  String.raw`(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))`,
  STRING,
  NUMBER,
  words(KEYWORDS),
  String.raw`(?<type>(?<![\w$])[A-Z][\w$]*)`,
  String.raw`(?<call>(?<![\w$])[a-z_$][\w$]*(?=\())`,
);
const SHELL = tokens(
  String.raw`(?<comment>(?<=^|\s)#[^\n]*)`,
  STRING,
  String.raw`(?<call>(?<=^|\| |&& )[\w./-]+)`,
);
const DATA = tokens(
  String.raw`(?<comment>(?<=^|\s)(?:#|\/\/)[^\n]*)`,
  String.raw`(?<call>"[^"\n]*"(?=\s*:)|^\s*[\w.-]+(?=\s*[:=]))`,
  STRING,
  NUMBER,
);

const LANGUAGES = new Map([
  ...["ts", "tsx", "js", "mjs", "typescript", "proto"].map((
    name,
  ) => [name, SCRIPT]),
  ...["sh", "bash", "nginx", "dockerfile"].map((
    name,
  ) => [name, new RegExp(SHELL, "gm")]),
  ...["json", "jsonc", "yaml", "toml", "ini", "http"].map((
    name,
  ) => [name, new RegExp(DATA, "gm")]),
]);

/** The code as HTML, with a class for each token. */
export function highlight(code, language = "ts") {
  const pattern = LANGUAGES.get(language);
  if (pattern === undefined) return escape(code);
  let html = "";
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined);
    html += `${escape(code.slice(end, match.index))}<span class="t-${kind}">${escape(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escape(code.slice(end));
}
