/** What is fuzzed: something that takes input, and how to judge its answer. */
import type { RandomChoices } from "./random.ts";

/** Judges what came back: gives its kind in a word, for the statistics. @throws If it is not as it should be. */
export type Judge = () => string;

/** One thing that is sent. */
export interface Case {
  /** What it is, for people: enough to understand, not all of it. */
  describe(): string;
  /** Sends it; may be called again, to measure. */
  send(): Promise<Judge>;
}

/** A target that is open. */
export interface OpenTarget {
  /** Makes a case: of the same random the same one, but for tokens, which are new in every process. */
  make(random: RandomChoices): Case;
  /** Does something that has to work. @throws If it does not. */
  isAlive(): Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
}

/** A decoder, by the door that strangers come to it. */
export interface Target {
  readonly name: string;
  /** Why it cannot run here; `undefined` if it can. */
  readonly skip?: string | undefined;
  open(): Promise<OpenTarget>;
}
