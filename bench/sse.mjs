// Enough of Server-Sent Events to check an answer: not used while the clock runs.

/** Splits an event stream into `{ event, data }`, with `data` parsed as JSON; empty data is `null`. */
export function parseEvents(text) {
  return text.split("\n\n").filter((block) => block.includes("data:")).map((block) => {
    const lines = block.split("\n");
    const field = (name) =>
      lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim()).join("\n");
    return { event: field("event") || "message", data: JSON.parse(field("data") || "null") };
  });
}
