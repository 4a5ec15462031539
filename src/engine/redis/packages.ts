/**
 * The packages of the bullmq engine and of what else keeps things in Redis, which are there only where somebody has installed them.
 *
 * @module
 */

/** What the bullmq engine is called where its packages are missing. */
export const BULLMQ = "the bullmq engine";

/** A package is not installed. */
export class MissingPackageError extends Error {
  /** Always `"MissingPackageError"`. */
  override readonly name = "MissingPackageError";
}

/**
 * Imports a package that is needed only here.
 *
 * @param what What needs it, for the advice.
 * @param names All that this kind of store needs, for the advice.
 * @param load Imports it.
 * @throws {MissingPackageError} If it is not installed.
 */
export async function importPackage<Module>(
  what: string,
  names: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const advice = `npm install ${names.join(" ")} (or bun add, deno add npm:…)`;
    throw new MissingPackageError(`Cannot use ${what}: it needs ${names.join(" and ")}; run ${advice}`, {
      cause,
    });
  }
}
