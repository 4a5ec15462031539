/** Whether a part of the cases runs, as in `npm test`. Without the variable all do: in `npm run test:full`, in CI and on other runtimes. */
export const isPart: boolean = globalThis.process?.env["TOOLWIRE_TESTS"] === "pairwise";
