/** Whether two types are the same, to the letter: `true` or `false`. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Takes nothing but `true`: `expectType<Equal<A, B>>(true)` does not compile where they differ. */
export function expectType<Is extends true>(is: Is): Is {
  return is;
}
