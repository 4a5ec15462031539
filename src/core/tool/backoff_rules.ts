import { AT_LEAST_1, type OptionRule, type OptionRules, rule } from "../../internal/options.ts";
import type { BackoffOptions } from "../handler/steps.ts";

/** A hundred years, in milliseconds. Later times do not fit a date. */
const MAX_LIFE_MS = 3_155_760_000_000;

/** Rule for lifetimes and delays. */
export const LIFE: OptionRule = rule(
  "a positive number of milliseconds, at most a hundred years",
  (value) => typeof value === "number" && value > 0 && value <= MAX_LIFE_MS,
);

/** Rules for the delays between tries, of `.promise()` and of `ctx.step`. */
export const BACKOFF: OptionRules<BackoffOptions> = {
  minMs: LIFE,
  maxMs: LIFE,
  factor: AT_LEAST_1,
  jitter: rule("from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1),
};
