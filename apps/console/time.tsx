/** Times as local text with the distance from now; the exact time is in their title. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { distanceOf } from "./words.ts";

/** Time between two counts of the distances, in milliseconds. */
const TICK_MS = 10_000;
/** Largest time that a date can have, in milliseconds. */
const MAX_MS = 8.64e15;

/** The present, as distances are counted from it. */
const now = signal(Date.now());
setInterval(() => now.value = Date.now(), TICK_MS);

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const DAY = { day: "numeric", month: "short" } as const;
const clock = new Intl.DateTimeFormat(undefined, CLOCK);
const dayAndClock = new Intl.DateTimeFormat(undefined, { ...DAY, ...CLOCK });
const whole = new Intl.DateTimeFormat(undefined, { ...DAY, year: "numeric", ...CLOCK });

interface TimeProps {
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** A time in a sentence: `Nov 23, 2026, 07:05:02 (3 min ago)`. */
export function Time({ atMs }: TimeProps): JSX.Element {
  const exact = isoOf(atMs);
  if (exact === undefined) return <>an unknown time</>;
  return (
    <time dateTime={exact} title={exact}>
      {whole.format(atMs)} <span class="dim">({distanceOf(atMs - now.value)})</span>
    </time>
  );
}

/** A time in a row: `07:05:02`, with the day if that is not today. */
export function Clock({ atMs }: TimeProps): JSX.Element {
  const exact = isoOf(atMs) ?? "";
  const isToday = new Date(atMs).toDateString() === new Date(now.value).toDateString();
  return <time dateTime={exact} title={exact}>{exact === "" ? "" : (isToday ? clock : dayAndClock).format(atMs)}</time>;
}

/** How long ago a time was: `3 min ago`. */
export function Ago({ atMs }: TimeProps): JSX.Element {
  return <span class="dim">{distanceOf(atMs - now.value)}</span>;
}

/** Exact text of a time; `undefined` if it is beyond all dates. */
function isoOf(atMs: number): string | undefined {
  return Math.abs(atMs) <= MAX_MS ? new Date(atMs).toISOString() : undefined;
}
