/**
 * The packages of the bullmq engine, which are there only where somebody has installed them.
 *
 * @module
 */

/** A package is not installed. */
export class MissingPackageError extends Error {
  /** Always `"MissingPackageError"`. */
  override readonly name = "MissingPackageError";
}

/**
 * Imports a package that is needed only here.
 *
 * @param names All that this kind of store needs, for the advice.
 * @param load Imports it.
 * @throws {MissingPackageError} If it is not installed.
 */
export async function importPackage<Module>(names: readonly string[], load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const advice = `npm install ${names.join(" ")} (or bun add, deno add npm:…)`;
    throw new MissingPackageError(`Cannot use the bullmq engine: it needs ${names.join(" and ")}; run ${advice}`, {
      cause,
    });
  }
}
