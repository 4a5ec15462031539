// Draws a recorded session as an animated SVG: CSS alone, no script. Without motion, the last scene is shown as it ends.

const COLUMNS = 104;
const CHARACTER = 7.8;
const LINE = 19;
/** Before each command but the first. */
const GAP = 7;
const MARGIN = 16;
const BAR = 34;
/** Times of the film, in milliseconds. Real pauses are kept up to a limit. */
const PER_KEY = 32;
const LONGEST_PAUSE = 1_400;
const AFTER_COMMAND = 700;
const AFTER_SCENE = 4_500;

/** The film of a session: rows with the times at which they appear, and the time at which their scene ends. */
export function toFilm(scenes) {
  let now = 400;
  const films = scenes.map(({ caption, commands }) => {
    const begin = now;
    const rows = commands.flatMap(({ typed, output }) => {
      const typedFrom = now;
      now += 300 + typed.length * PER_KEY;
      const row = { text: typed, isTyped: true, from: typedFrom, until: now };
      let last = 0;
      const lines = toLines(output).map(({ atMs, text }) => {
        now += Math.min(LONGEST_PAUSE, atMs - last) + 40;
        last = atMs;
        return { text, isTyped: false, from: now };
      });
      now += AFTER_COMMAND;
      return [row, ...lines];
    });
    now += AFTER_SCENE;
    return { caption, rows, begin, end: now };
  });
  return { films, length: now };
}

/** Pieces of output as lines that fit. A line has the time of the piece that ends it. */
function toLines(output) {
  let rest = "";
  const lines = output.flatMap(({ atMs, text }) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop();
    return parts.map((line) => ({ atMs, text: line }));
  });
  if (rest !== "") lines.push({ atMs: output.at(-1).atMs, text: rest });
  return lines.filter(({ text }) => text.trim() !== "").map(({ atMs, text }) => ({
    atMs,
    text: text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text,
  }));
}

/** The SVG of a session. */
export function renderSession(scenes) {
  const { films, length } = toFilm(scenes);
  const width = Math.round(COLUMNS * CHARACTER + 2 * MARGIN);
  const heights = films.map(({ rows }) =>
    rows.length * LINE + rows.slice(1).filter(({ isTyped }) => isTyped).length * GAP
  );
  const height = BAR + Math.max(...heights) + 2 * MARGIN;
  const frames = new Frames(length);
  const drawn = films.map((film, index) => drawScene(film, index === films.length - 1, frames));
  const label = `A terminal session. ${scenes.map(({ caption }) => caption).join(". ")}.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${
    escape(label)
  }">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #c9d1d9 }
.c { fill: #fff; font-weight: 600 } .p { fill: #56d364; font-weight: 600 } .t { fill: #9da7b3 } .h { opacity: 0 }
g, text { animation-duration: ${
    length / 1_000
  }s; animation-iteration-count: infinite; animation-timing-function: step-end }
${frames.css()}
@media (prefers-reduced-motion: reduce) { g, text { animation: none !important } }
</style>
<clipPath id="w"><rect width="${width}" height="${height}" rx="9"/></clipPath>
<g clip-path="url(#w)">
<rect width="${width}" height="${height}" fill="#0d1117"/>
<rect width="${width}" height="${BAR}" fill="#21262d"/>
<circle cx="18" cy="17" r="5.5" fill="#ff5f57"/><circle cx="37" cy="17" r="5.5" fill="#febc2e"/><circle cx="56" cy="17" r="5.5" fill="#28c840"/>
${drawn.join("\n")}
</g>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="none" stroke="#484f58"/>
</svg>
`;
}

/** Rules of the animation, by name: `a0`, `a1` and so on. */
class Frames {
  #rules = [];
  #length;

  constructor(length) {
    this.#length = length;
  }

  #add(steps) {
    const name = `a${this.#rules.length}`;
    this.#rules.push(`@keyframes ${name} { ${steps} } .${name} { animation-name: ${name} }`);
    return name;
  }

  #percent(ms) {
    return `${Number((ms / this.#length * 100).toFixed(3))}%`;
  }

  /** Visible in this time only. */
  visible(from, end) {
    return this.#add(
      `0% { opacity: 0 } ${this.#percent(from)} { opacity: 1 } ${this.#percent(end)}, 100% { opacity: ${
        end >= this.#length ? 1 : 0
      } }`,
    );
  }

  /** A cover that uncovers a character at a time. */
  uncover(from, until, characters) {
    const moved = `translateX(${Number((characters * CHARACTER).toFixed(1))}px)`;
    return this.#add(
      `0% { opacity: 0; transform: none } ${
        this.#percent(from)
      } { opacity: 1; transform: none; animation-timing-function: steps(${characters}) } ` +
        `${this.#percent(until)} { opacity: 1; transform: ${moved} } ${
          this.#percent(until + 1)
        }, 100% { opacity: 0; transform: ${moved} }`,
    );
  }

  css() {
    return this.#rules.join("\n");
  }
}

function drawScene({ caption, rows, begin, end }, isLast, frames) {
  const hidden = isLast ? "" : " h";
  const title = `<text class="t${hidden} ${frames.visible(begin - 400, end)}" x="78" y="22">${escape(caption)}</text>`;
  const lines = rows.map((row, index) => {
    const gaps = rows.slice(1, index + 1).filter(({ isTyped }) => isTyped).length;
    const y = BAR + MARGIN + index * LINE + gaps * GAP + 11;
    const name = frames.visible(row.from, end) + (index === rows.length - 1 ? " p" : "");
    if (!row.isTyped) {
      return `<text class="${name}${hidden}" x="${MARGIN}" y="${y}"${fit(row.text)}>${escape(row.text)}</text>`;
    }
    const x = MARGIN + 2 * CHARACTER;
    const cover = frames.uncover(row.from + 300, row.until, row.text.length);
    return `<g class="${name}${hidden}"><text class="p" x="${MARGIN}" y="${y}">$</text>` +
      `<text class="c" x="${x}" y="${y}"${fit(row.text)}>${escape(row.text)}</text>` +
      `<g class="h ${cover}"><rect x="${x}" y="${y - 14}" width="${
        Math.ceil(row.text.length * CHARACTER) + 4
      }" height="18" fill="#0d1117"/>` +
      `<rect x="${x}" y="${y - 12}" width="7" height="15" fill="#c9d1d9"/></g></g>`;
  });
  return [title, ...lines].join("\n");
}

/** The width that a line has in the font of the drawing; other fonts are fitted. */
function fit(text) {
  return ` textLength="${Number((text.length * CHARACTER).toFixed(1))}" lengthAdjust="spacingAndGlyphs"`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
