/** Checks of a specification: what each is, what it may find, and how it says that it does not apply. */

/** `MUST`: a server that does not comply breaks the specification. `SHOULD`: the specification recommends it. */
export type ConformanceLevel = "MUST" | "SHOULD";

/** A request and its response, as text for a report. */
export interface ShownExchange {
  /** Method, path and body; without headers. */
  readonly sent: string;
  /** Status, content type and body. */
  readonly received: string;
}

/** Result of a check: whether the rule is met, and the request and response that show it. */
export interface Verdict {
  readonly isMet: boolean;
  readonly exchange: ShownExchange;
  /** What is wrong, if the exchange alone does not show it. */
  readonly reason: string | undefined;
}

/** Thrown by a check that cannot be made: the server does not declare the feature, or trying it may change something. */
export class NotApplicable extends Error {}

/** A rule of a specification, and the function that checks a server for it. */
export interface ServerCheck<Subject> {
  /** Section and words: `3.1-unique-names`. */
  readonly id: string;
  /** Section of the specification: a number, or a heading where sections have no numbers. */
  readonly section: string;
  readonly level: ConformanceLevel;
  /** The rule, in one sentence. */
  readonly title: string;
  /** What the response has to be. */
  readonly expected: string;
  run(subject: Subject): Promise<Verdict>;
}

/** Makes checks: section, words of the id, rule, expected response, function. */
type DefineCheck = <Subject>(
  section: string,
  slug: string,
  title: string,
  expected: string,
  run: (subject: Subject) => Promise<Verdict>,
) => ServerCheck<Subject>;

/** Defines the check of a rule that a server has to follow: its level is `MUST`. */
export const must: DefineCheck = (section, slug, title, expected, run) => {
  return { id: `${section}-${slug}`, section, level: "MUST", title, expected, run };
};

/** Defines the check of a rule that a server is recommended to follow: its level is `SHOULD`. */
export const should: DefineCheck = (section, slug, title, expected, run) => {
  return { id: `${section}-${slug}`, section, level: "SHOULD", title, expected, run };
};

/** Makes the verdict over one exchange. The reason is used only if the rule is not met. */
export function judge(isMet: boolean, { sent, received }: ShownExchange, reason?: string): Verdict {
  return { isMet, exchange: { sent, received }, reason: isMet ? undefined : reason };
}

/** The verdict over a list: the first item that does not comply is the reason. */
export function judgeAll<Item>(
  items: readonly Item[],
  exchange: ShownExchange,
  complies: (item: Item) => boolean,
  describe: (item: Item) => string,
): Verdict {
  const index = items.findIndex((item) => !complies(item));
  return judge(index === -1, exchange, index === -1 ? undefined : describe(items[index] as Item));
}

/** Ends a check that does not apply to the server. @throws {NotApplicable} Always. */
export function lacks(reason: string): never {
  throw new NotApplicable(reason);
}

/** Text of a stack, or of a path in a file system. */
const INTERNALS = /\n\s+at .+:\d+|\bat \S+ \(.+:\d+\)|Traceback|\/(?:home|usr|var|Users)\/\S+/;

/** Whether the message of an error contains a stack, or a path in the server's file system. */
export function hasInternals(message: string): boolean {
  return INTERNALS.test(message);
}
