/**
 * What a caller keeps while it looks for answers: the server's own state, and how answers are to be sent.
 *
 * The state itself where that is all, so that a continuation of our servers is the same on every wire. Nothing is kept here, so
 * that another process can go on.
 *
 * @module
 */
import { asObject, type Members } from "../../../internal/json.ts";
import { type AnswerForm, isAnswer, type ServerQuestion, toElicitResult } from "./questions.ts";
import { isModelOrRootsResult } from "../protocol/forms.ts";

/** What of a round the next one has to know. */
export interface Round {
  /** The server's state, to be echoed as it is; `undefined` if it gave none. */
  readonly state: string | undefined;
  /** What was asked. */
  readonly forms: Readonly<Record<string, AnswerForm>>;
  /** What was answered without the caller, as the protocol has it. */
  readonly answered: Members;
}

const PREFIX = "mcp:";

/** Writes a round down. */
export function encodeRound(
  state: string | undefined,
  questions: readonly ServerQuestion[],
  answered: Members,
): string {
  const special = questions.filter(({ key, form }) => form.isGrant || form.defaults !== undefined || form.key !== key);
  const isPlain = special.length === 0 && Object.keys(answered).length === 0;
  if (isPlain && state !== undefined && !state.startsWith(PREFIX)) return state;
  const forms = Object.fromEntries(special.map(({ key, form }) => [key, form]));
  return PREFIX + JSON.stringify({ state, forms, answered });
}

/** Reads a round; what was not written here is the server's state. */
export function decodeRound(continuation: string): Round {
  if (continuation.startsWith(PREFIX)) {
    try {
      const { state, forms, answered } = asObject(JSON.parse(continuation.slice(PREFIX.length)));
      return {
        state: typeof state === "string" ? state : undefined,
        forms: asObject(forms) as Round["forms"],
        answered: asObject(answered),
      };
    } catch {
      // Then it is the server's own, which happens to look like that.
    }
  }
  return { state: continuation, forms: {}, answered: {} };
}

/** What the next request says: the state, and the answers under the server's keys. */
export function inputsOf({ state, forms, answered }: Round, responses: unknown): Members {
  const given = Object.entries(asObject(responses)).map(([key, response]) => {
    const form = Object.hasOwn(forms, key) ? forms[key] : undefined;
    return [form?.key ?? key, sent(response, form)] as const;
  });
  const inputResponses = { ...answered, ...Object.fromEntries(given) };
  return {
    ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
  };
}

/** What a model said, or a list of folders, stands for itself; what is no answer goes as it is, so that the server says so. */
function sent(response: unknown, form: AnswerForm | undefined): unknown {
  if (!isAnswer(response)) return response;
  const { action, content } = response;
  return action === "accept" && isModelOrRootsResult(content) && form === undefined
    ? content
    : toElicitResult(response, form ?? {});
}
