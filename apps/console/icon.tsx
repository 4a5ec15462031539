/** Icons as inline shapes: fonts lack some of the characters. */
import type { JSX } from "preact";

const SHAPES: Readonly<Record<string, string>> = {
  tools: "M3 3h10v3H3zM3 8h10v5H3z",
  feed: "M2 8h3l2-5 3 10 2-5h2",
  jobs: "M5 2h6M5 14h6M5.5 2v3L8 8l2.5-3V2M5.5 14v-3L8 8l2.5 3v3",
  resources: "M3 2h7l3 3v9H3zM10 2v3h3M5.5 8h5M5.5 11h5",
  prompts: "M2 3h12v8H8l-3 3v-3H2z",
  changes: "M8 2v7M4.5 5.5h7M4.5 13h7",
  record: "M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10zM8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  access: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14a5.5 5.5 0 0 1 11 0",
  list: "M3 13V7M7 13V3M11 13V9M2 13.5h12",
  token: "M6 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0h9v3M12 8v2",
  server: "M8 7v5M8 4v.5M8 15A7 7 0 1 0 8 1a7 7 0 0 0 0 14z",
  more: "M2.5 7h2v2h-2zM7 7h2v2H7zM11.5 7h2v2h-2z",
  promise: "M8 4v4l3 2M8 14.5A6.5 6.5 0 1 0 8 1.5a6.5 6.5 0 0 0 0 13z",
  scope: "M4 7h8v6H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
};

export function Icon({ name, size = 12 }: { readonly name: string; readonly size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[name] ?? ""} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  running: "…",
  answer: "✓",
  failure: "✕",
  error: "✕",
  questions: "?",
  refused: "⊘",
};

/** The sign of a state, before its word. */
export function Sign({ state }: { readonly state: string }): JSX.Element {
  return state === "promise" ? <Icon name="promise" /> : <>{SIGNS[state] ?? "?"}</>;
}
