// Draws growth as SVG: a panel for each runtime, both axes logarithmic, costs as multiples of the smallest size's.

const panel = { width: 240, height: 220, left: 46, top: 34, right: 12 };
const colours = ["#2f7ed8", "#d9822b", "#3a9d5d", "#b0529f", "#8a8f98"];
const style = `
  text { font: 11px system-ui, sans-serif; fill: #57606a }
  .title { font-weight: 600 }
  .grid { stroke: #d0d7de; stroke-width: 0.5 }
  .linear { stroke: #8c959f; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .linear { stroke: #656c76 }
  }
`;

/**
 * @param title What grows.
 * @param unit What the sizes count.
 * @param panels Of each runtime: `{ name, sizes, lines: { [what]: costs } }`; the same lines in all.
 * @returns the file.
 */
export function drawGrowth(title, unit, panels) {
  const names = Object.keys(panels[0].lines);
  const width = panels.length * (panel.left + panel.width + panel.right);
  const height = panel.top + panel.height + 64 + 16 * Math.ceil(names.length / 3);
  const parts = panels.map((one, index) => drawPanel(one, unit, index * (panel.left + panel.width + panel.right)));
  const legend = names.map((name, index) => drawKey(name, index, panel.top + panel.height + 62));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${style}</style>`,
    ...parts,
    ...legend,
    "</svg>\n",
  ].join("\n");
}

function drawPanel({ name, sizes, lines }, unit, offset) {
  const relative = Object.values(lines).map((costs) => costs.map((cost) => cost / costs[0]));
  const all = relative.flat();
  const bottom = Math.floor(Math.log10(Math.min(...all)));
  const top = Math.max(Math.ceil(Math.log10(Math.max(...all))), bottom + 1);
  const [first, last] = [Math.log10(sizes[0]), Math.log10(sizes.at(-1))];
  const x = (size) => round(offset + panel.left + (Math.log10(size) - first) / (last - first) * panel.width);
  const y = (cost) => round(panel.top + (top - Math.log10(cost)) / (top - bottom) * panel.height);
  const [left, right] = [x(sizes[0]), x(sizes.at(-1))];
  const foot = y(10 ** bottom);
  const rows = range(bottom, top).map((power) => {
    const height = y(10 ** power);
    return line("grid", left, height, right, height) + label(left - 4, height + 4, `×${formatPower(power)}`, "end");
  });
  const columns = sizes.map((size) => label(x(size), foot + 16, formatSize(size), "middle"));
  // Linear growth in the size: a curve below it is better.
  const reach = Math.min(last, first + top);
  const linear = line("linear", left, y(1), x(10 ** reach), y(10 ** (reach - first)));
  const curves = relative.map((costs, index) => {
    const points = costs.map((cost, place) => `${x(sizes[place])},${y(cost)}`).join(" ");
    return `<polyline points="${points}" fill="none" stroke="${colours[index]}" stroke-width="1.8"/>`;
  });
  const title = label(left, panel.top - 14, name, "start", "title");
  const below = label((left + right) / 2, foot + 34, unit, "middle");
  return [title, ...rows, ...columns, linear, ...curves, below].join("\n");
}

function drawKey(name, index, top) {
  const [left, height] = [panel.left + (index % 3) * 190, top + 16 * Math.floor(index / 3)];
  const dash = `<line x1="${left}" y1="${height}" x2="${left + 18}" y2="${height}" stroke="${
    colours[index]
  }" stroke-width="2"/>`;
  return dash + label(left + 24, height + 4, name, "start");
}

const round = (value) => Number(value.toFixed(1));
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const line = (kind, x1, y1, x2, y2) => `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;

function label(x, y, text, anchor, kind) {
  const named = kind === undefined ? "" : ` class="${kind}"`;
  return `<text${named} x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(text)}</text>`;
}

function formatPower(power) {
  return power < 0 ? String(10 ** power) : formatSize(10 ** power);
}

function formatSize(size) {
  if (size >= 1e6) return `${size / 1e6}M`;
  return size >= 1e3 ? `${size / 1e3}k` : String(size);
}

function escapeXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
