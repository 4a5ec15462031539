/**
 * Tables by what they hold, so that the style sheet can lay them out on a phone: rows of prose become blocks below each other, tables
 * of figures scroll beside their first column.
 *
 * @module
 */

const MAX_STACKED_COLUMNS = 3;
/** Characters of a row that fit side by side on a phone. */
const MAX_ROW_CHARS = 44;
const MAX_LABELLED_CHARS = 20;

/** Gives the tables of a page classes. For a core rule of markdown-it. */
export function markTables(tokens) {
  for (const [at, token] of tokens.entries()) {
    if (token.type === "table_open") markTable(token, tokens.slice(at, endOf(tokens, at)));
  }
}

const endOf = (tokens, at) => tokens.findIndex(({ type }, index) => index > at && type === "table_close");

function markTable(table, tokens) {
  const rows = rowsOf(tokens);
  const [head = [], ...body] = rows;
  const isStacked = head.length <= MAX_STACKED_COLUMNS && body.some(isLong);
  // What scrolls sideways has to be reachable by the keyboard.
  table.attrSet("tabindex", "0");
  table.attrJoin("class", isStacked ? "stacked" : "scrolled");
  if (head.every(({ inline }) => inline.content === "")) table.attrJoin("class", "headless");
  if (!isStacked) return;
  const hasTexts = head.length > 2 && body.some((row) => !isShort(row[1]));
  for (const row of body) labelCells(row, head, hasTexts);
}

/** The cells of each row: the token that opens one, and its text. */
function rowsOf(tokens) {
  const rows = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === "tr_open") rows.push([]);
    else if (/^t[hd]_open$/.test(token.type)) rows.at(-1).push({ open: token, inline: tokens[at + 1] });
  }
  return rows;
}

const isLong = (row) => row.reduce((sum, { inline }) => sum + shownChars(inline.content), 0) > MAX_ROW_CHARS;

const shownChars = (markdown) => markdown.replaceAll(/\]\([^)]*\)/g, "").length;

const isShort = ({ inline }) => shownChars(inline.content) <= MAX_LABELLED_CHARS;

/**
 * A stacked row has no heading over its cells, so a short cell in the middle, such as a default, has it before it. If the cells in the middle
 * are texts, too, all cells but the first have it: without it, "runs again" and "does not run again" would be two sentences of one.
 */
function labelCells(row, head, hasTexts) {
  for (const [at, cell] of row.entries()) {
    const label = head[at]?.inline.content.replaceAll(/[`*]/g, "") ?? "";
    const isLabelled = at > 0 && (hasTexts || (at < row.length - 1 && isShort(cell)));
    if (isLabelled && label !== "" && cell.inline.content !== "") cell.open.attrSet("data-label", label);
  }
}
