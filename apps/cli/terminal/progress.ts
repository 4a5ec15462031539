/** Progress as one line: a bar with a total, otherwise a spinner. */
import type { Progress } from "../../../src/core/call/outcome.ts";
import { printableLine } from "./terminal.ts";
import { cutToWidth, widthOf } from "./width.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MAX_BAR = 30;
/** Columns below which there is no bar, but the percentage. */
const MIN_BAR = 6;

/**
 * Formats progress as one line: a bar and a percentage if the total is known, otherwise a spinner. Longer text is cut.
 *
 * @param label What is running; foreign text.
 * @param progress Last progress; `undefined` before the first.
 * @param columns Width of the line.
 * @param frame Number of the redraw, which turns the spinner.
 */
export function formatProgress(label: string, progress: Progress | undefined, columns: number, frame: number): string {
  const [done, total] = [numberOf(progress?.done), numberOf(progress?.total)];
  const message: unknown = progress?.message;
  const text = printableLine([label, typeof message === "string" ? message : ""].filter(Boolean).join(": "));
  if (done === undefined || total === undefined || !(total > 0)) {
    // Work that sleeps or waits reports 0, which says nothing.
    const count = done === undefined || done === 0 ? "" : ` ${formatNumber(done)}`;
    return cutToWidth(`${FRAMES[frame % FRAMES.length]}${count} ${text}`, columns);
  }
  const share = Math.min(1, Math.max(0, done / total));
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const counts = ` ${formatNumber(done)}/${formatNumber(total)} `;
  const room = columns - widthOf(percent) - widthOf(counts) - Math.min(widthOf(text), Math.floor(columns / 2));
  const bar = room < MIN_BAR ? "" : formatBar(share, Math.min(MAX_BAR, room));
  return cutToWidth(`${bar}${percent}${counts}${text}`, columns);
}

function formatBar(share: number, width: number): string {
  const filled = Math.round(share * width);
  return "█".repeat(filled) + "░".repeat(width - filled);
}

/** Values that are not numbers, from programs without types, are not shown. */
function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
