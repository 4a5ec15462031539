/**
 * Mermaid fences as SVG: sequence diagrams and flowcharts, as far as `docs/` uses them. Colours are those of the theme, so one picture
 * reads well in both.
 *
 * @module
 */
import dagre from "@dagrejs/dagre";

const CHAR = 7;

/** An SVG of a Mermaid diagram. @throws {Error} If a line is of another kind of diagram. */
export function renderDiagram(source, label) {
  const lines = source.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("%%"));
  const [kind = "", ...rest] = lines;
  if (kind === "sequenceDiagram") return sequence(rest, label);
  if (kind.startsWith("flowchart")) return flowchart(rest, label);
  throw new Error(
    `Cannot draw "${kind}": apps/site/diagrams.mjs knows sequenceDiagram and flowchart`,
  );
}

const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

function svg(width, height, label, body) {
  return `<div class="diagram" tabindex="0"><svg role="img" aria-label="${
    escape(label)
  }" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">` +
    `<path d="M0 0 8 4 0 8z" class="head"/></marker></defs>${body.join("")}</svg></div>`;
}

const LANE = 185;
/** Space beside the first and the last lane. */
const SIDE = 68;
const STEP = 42;

function sequence(lines, label) {
  const lanes = new Map();
  const at = (name) => lanes.get(name)?.x;
  const body = [];
  let y = 64;
  for (const line of lines) {
    const participant = /^participant (\w+) as (.+)$/.exec(line);
    const note = /^Note over (\w+): (.+)$/.exec(line);
    const message = /^(\w+)(-?->>)(\w+): (.+)$/.exec(line);
    if (participant) {
      lanes.set(participant[1], {
        x: SIDE + lanes.size * LANE,
        title: participant[2],
      });
    } else if (note) body.push(box(at(note[1]), y - 8, note[2], "note"));
    else if (message) {
      body.push(
        arrow(at(message[1]), at(message[3]), y, message[4], message[2] === "-->>", lanes.size * LANE),
      );
    } else {throw new Error(
        `Cannot draw the line "${line}" of a sequence diagram`,
      );}
    if (!participant) y += STEP;
  }
  const heads = [...lanes.values()].flatMap(({ x, title }) => [
    `<line class="lane" x1="${x}" x2="${x}" y1="40" y2="${y - 20}"/>`,
    box(x, 24, title, "node"),
  ]);
  return svg(2 * SIDE + (lanes.size - 1) * LANE, y, label, [...heads, ...body]);
}

function box(x, y, title, kind) {
  const width = title.length * CHAR + 24;
  return `<rect class="${kind}" x="${x - width / 2}" y="${y - 14}" width="${width}" height="28" rx="6"/>` +
    `<text x="${x}" y="${y + 4}" text-anchor="middle">${escape(title)}</text>`;
}

/** A label that is drawn over lanes. */
function labelAt(x, y, title, anchor) {
  return `<text class="label" x="${x}" y="${y}" text-anchor="${anchor}">${escape(title)}</text>`;
}

/** A message. One to its own lane has its label at the side that has more space. */
function arrow(from, to, y, title, isReply, width) {
  const kind = isReply ? "edge reply" : "edge";
  if (from === to) {
    const side = from > width / 2 ? -1 : 1;
    const label = labelAt(from + side * 34, y + 4, title, side === 1 ? "start" : "end");
    return `<path class="${kind}" d="M${from} ${y - 8}h${side * 26}v16h${
      side * -22
    }" marker-end="url(#arrow)"/>${label}`;
  }
  const label = labelAt((from + to) / 2, y - 2, title, "middle");
  return `<path class="${kind}" d="M${from} ${y + 6}H${to + (to > from ? -2 : 2)}" marker-end="url(#arrow)"/>${label}`;
}

function flowchart(lines, label) {
  const graph = new dagre.graphlib.Graph().setGraph({
    rankdir: "TB",
    nodesep: 16,
    ranksep: 34,
    marginx: 8,
    marginy: 8,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const line of lines) {
    const node = /^(\w+)\["(.+?)(?:<br\/><small>(.+)<\/small>)?"\](?: --> (\w+(?: & \w+)*))?$/.exec(line);
    if (!node) throw new Error(`Cannot draw the line "${line}" of a flowchart`);
    const [, name, title, small = "", targets] = node;
    graph.setNode(name, { title, small, width: widthOf(node), height: 44 });
    for (const target of targets?.split(" & ") ?? []) graph.setEdge(name, target);
  }
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const edges = graph.edges().map((edge) => {
    const [first, ...points] = graph.edge(edge).points.map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`);
    return `<path class="edge" d="M${first}L${points.join(" ")}" marker-end="url(#arrow)"/>`;
  });
  return svg(Math.ceil(width), Math.ceil(height), label, [
    ...edges,
    ...graph.nodes().map((name) => card(graph.node(name))),
  ]);
}

function widthOf([, , title, small = ""]) {
  return Math.max(title.length * CHAR, small.length * 6) + 20;
}

function card({ x, y, width, height, title, small }) {
  return `<rect class="node" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="6"/>` +
    `<text x="${x}" y="${y - 2}" text-anchor="middle">${escape(title)}</text>` +
    `<text class="small" x="${x}" y="${y + 13}" text-anchor="middle">${escape(small)}</text>`;
}
