/** How the answers of several wires to one call differ, in words. */
import { canonicalJson } from "../../src/internal/json.ts";
import { asObject, type Outcome } from "./outcome.ts";
import { listed } from "./words.ts";

/** The answer of one wire. */
export interface WireAnswer {
  /** Title of the wire. */
  readonly title: string;
  readonly outcome: Outcome;
}

/** Wires whose answer is not that of most wires, and a sentence that names them; empty if all agree. */
export interface Difference {
  readonly titles: readonly string[];
  readonly text: string;
}

const NOUNS: Readonly<Record<Outcome["kind"], string>> = {
  answer: "an answer",
  failure: "a failure",
  error: "an error",
  promise: "a promise",
  questions: "questions",
};

/** Compares answers. Of two that have the same number of wires, the first one is that of most wires. */
export function differenceOf(answers: readonly WireAnswer[]): Difference {
  const alike = answers.map(({ outcome }) => answers.filter((one) => meaningOf(one.outcome) === meaningOf(outcome)));
  const most = alike.reduce((one, other) => other.length > one.length ? other : one, alike[0] ?? []);
  const others = answers.filter((one) => !most.includes(one));
  const titles = others.map(({ title }) => title);
  const [first] = others;
  if (first === undefined) return { titles, text: "" };
  if (most.length === 1) return { titles: [], text: `The ${answers.length} wires answer with different values.` };
  const rest = `the other ${most.length} wires`;
  const answer = titles.length === 1 ? "answers" : "answer";
  const { kind } = first.outcome;
  const usual = most[0]?.outcome.kind ?? "answer";
  const isOtherKind = kind !== usual && others.every(({ outcome }) => outcome.kind === kind);
  const how = isOtherKind ? `with ${NOUNS[kind]}, ${rest} with ${NOUNS[usual]}` : `differently from ${rest}`;
  return { titles, text: `${listed(titles)} ${answer} ${how}.` };
}

/** What is compared: the value of an answer, and the code of a failure. The other outcomes have the form of their wire. */
function meaningOf({ kind, value }: Outcome): string {
  if (kind === "answer") return canonicalJson(value ?? null);
  const { code } = asObject(value);
  return kind === "failure" && typeof code === "string" ? `${kind} ${code}` : kind;
}
