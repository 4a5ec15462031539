// Numbers into words: quartiles and markdown tables.

/** First quartile, median and third quartile, interpolated between neighbours. */
export function quartiles(values) {
  const sorted = values.toSorted((left, right) => left - right);
  return [0.25, 0.5, 0.75].map((share) => {
    const place = (sorted.length - 1) * share;
    const low = sorted[Math.floor(place)];
    return low + (sorted[Math.ceil(place)] - low) * (place % 1);
  });
}

/** `1.12 (1.08–1.19)`: the median, and between which values half of the rounds lie. */
export function formatSpread(values) {
  const [low, median, high] = quartiles(values).map(formatNumber);
  return `${median} (${low}–${high})`;
}

function formatNumber(value) {
  return value.toFixed(value < 10 ? 2 : 1);
}

export function formatTable(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
