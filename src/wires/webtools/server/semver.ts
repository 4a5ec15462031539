/**
 * Semantic versions: validation and order.
 *
 * Grammar and order: {@link https://semver.org/spec/v2.0.0.html | Semantic Versioning 2.0.0}.
 *
 * @module
 */

const PATTERN =
  /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;

/** Whether a text is a semantic version. */
export function isSemver(version: string): boolean {
  return PATTERN.test(version);
}

/** Returns the highest release; if there are only pre-releases, the highest of them. */
export function latestOf(versions: readonly string[]): string | undefined {
  const sorted = versions.toSorted(compareSemver);
  return sorted.findLast((version) => preReleaseOf(version) === undefined) ?? sorted.at(-1);
}

/** Compares as `Array.sort` needs it: negative if `one` is lower. */
function compareSemver(one: string, other: string): number {
  const [numbers, otherNumbers] = [numbersOf(one), numbersOf(other)];
  const at = numbers.findIndex((number, index) => number !== otherNumbers[index]);
  if (at !== -1) return (numbers[at] ?? 0) - (otherNumbers[at] ?? 0);
  const [pre, otherPre] = [preReleaseOf(one), preReleaseOf(other)];
  if (pre === undefined || otherPre === undefined) return Number(pre === undefined) - Number(otherPre === undefined);
  return comparePreReleases(pre.split("."), otherPre.split("."));
}

function comparePreReleases([one, ...rest]: readonly string[], [other, ...otherRest]: readonly string[]): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  if (one === other) return comparePreReleases(rest, otherRest);
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one < other ? -1 : 1;
}

function numbersOf(version: string): number[] {
  return (PATTERN.exec(version) ?? []).slice(1, 4).map(Number);
}

function preReleaseOf(version: string): string | undefined {
  return PATTERN.exec(version)?.[4];
}
