/** Processes that only look at the servers of a module, such as `toolwire list`: the servers then take up no work by being mounted. */

/** A mark of the process, because the program and the module may have different copies of this package. */
const LOOKING = Symbol.for("toolwire.looking");

/** Marks this process as one that only looks at the modules which it imports. */
export function lookOnly(): void {
  Object.assign(globalThis, { [LOOKING]: true });
}

/** Whether this process only looks at the modules which it imports. */
export function isLooking(): boolean {
  return LOOKING in globalThis;
}
