/** Plug-ins whose method fails once, and whose clean-up fails from then on. */

/** Names of the methods of a contract, also of the optional ones. */
export type MethodsOf<Contract> = {
  [Name in keyof Contract]-?: NonNullable<Contract[Name]> extends (...args: never[]) => unknown ? Name : never;
}[keyof Contract];

/** How a method fails. */
export type Fault = "throws" | "rejects";

export const FIRST = "the first cause";
export const SECOND = "the clean-up failed, too";

/** A plug-in that fails, and what became of it. */
export interface Faulty<Contract> {
  readonly plugIn: Contract;
  /** Makes the call of that number fail, counted from here, and each clean-up after it; 0 for no more failures. */
  arm(call: number): void;
  /** Whether the method has failed since {@link arm}. */
  readonly hasFailed: boolean;
  /** Whether a clean-up was called afterwards, which failed. */
  readonly hasFailedAgain: boolean;
  /** Number of functions that it returned, such as the end of a subscription, which were not called. */
  readonly unreleased: number;
}

/** Wraps a plug-in: its method `first` fails when it is armed, and afterwards all of `cleanUps`, and the functions that it returned. */
export function createFaulty<Contract extends object>(
  target: Contract,
  first: MethodsOf<Contract>,
  cleanUps: readonly MethodsOf<Contract>[],
  fault: Fault,
): Faulty<Contract> {
  const unreleased = new Set<unknown>();
  const state = { callsLeft: 0, hasFailed: false, hasFailedAgain: false };
  const fail = (message: string): unknown => {
    const error = new Error(message);
    if (fault === "rejects") return Promise.reject(error);
    throw error;
  };
  const failAgain = (done: unknown): unknown => {
    state.hasFailedAgain = true;
    if (done instanceof Promise) done.catch(() => {});
    return fail(SECOND);
  };
  const wrapReturned = (returned: unknown): unknown => {
    if (returned instanceof Promise) return returned.then(wrapReturned);
    if (typeof returned !== "function") return returned;
    unreleased.add(returned);
    return (...args: readonly unknown[]) => {
      unreleased.delete(returned);
      const done: unknown = returned(...args);
      return state.hasFailed ? failAgain(done) : done;
    };
  };
  const plugIn = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]) => {
        if (name === first && state.callsLeft > 0 && --state.callsLeft === 0) {
          state.hasFailed = true;
          return fail(FIRST);
        }
        // What it holds is released all the same, so that only the server can leak.
        const done: unknown = member.apply(target, args);
        return state.hasFailed && cleanUps.includes(name as MethodsOf<Contract>) ? failAgain(done) : wrapReturned(done);
      };
    },
  });
  return {
    plugIn,
    arm: (call) => void Object.assign(state, { callsLeft: call, hasFailed: false, hasFailedAgain: false }),
    get hasFailed() {
      return state.hasFailed;
    },
    get hasFailedAgain() {
      return state.hasFailedAgain;
    },
    get unreleased() {
      return unreleased.size;
    },
  };
}
