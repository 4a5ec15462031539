/** Questions of tools: fields of forms, answers of flags, and questions that need a person. */
import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { Question } from "../../../src/core/call/outcome.ts";
import { QuestionAnswerer, type QuestionFlags } from "../../../apps/cli/calls/answer_questions.ts";
import { askForm } from "../../../apps/cli/calls/ask_form.ts";
import type { Prompter } from "../../../apps/cli/calls/prompter.ts";
import type { CliContext } from "../../../apps/cli/context.ts";
import { Terminal } from "../../../apps/cli/terminal/terminal.ts";

/** A person who gives these answers, one after the other: labels of choices, or texts. Ctrl+C is `undefined`. */
function person(...answers: readonly (string | readonly string[] | undefined)[]) {
  const seen: string[] = [];
  const left = [...answers];
  const prompter: Prompter = {
    choose(message, choices, initial) {
      const start = choices.find(({ value }) => value === initial)?.label;
      seen.push(`${message} [${choices.map(({ label }) => label).join("|")}]${start === undefined ? "" : ` ${start}`}`);
      const label = left.shift();
      return Promise.resolve(choices.find((choice) => choice.label === label)?.value);
    },
    chooseMany(message, choices) {
      seen.push(message);
      const labels = left.shift() as readonly string[];
      return Promise.resolve(choices.filter(({ label }) => labels.includes(label)).map(({ value }) => value));
    },
    text(message, { initial, isSecret, validate }) {
      seen.push(`${message}${initial === undefined ? "" : ` = ${initial}`}${isSecret === true ? " (hidden)" : ""}`);
      let text = left.shift() as string | undefined;
      for (
        let refused = text === undefined ? undefined : validate(text);
        refused !== undefined;
        refused = validate(text ?? "")
      ) {
        seen.push(`! ${refused}`);
        text = left.shift() as string;
      }
      return Promise.resolve(text);
    },
  };
  return { prompter, seen };
}

const form = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", minLength: 2 },
    age: { type: "integer", minimum: 18 },
    size: { enum: ["S", "L"], description: "Of the shirt" },
    news: { type: "boolean", default: true },
    tags: { type: "array", items: { enum: ["a", "b", "c"] } },
    pass: { type: "string", format: "password" },
  },
  required: ["name", "age"],
};

test("a form is asked field by field, checked by its schema, and keeps what is left out absent", async () => {
  const { prompter, seen } = person("A", "Ada", "seventeen", "17", "36", "(leave out)", "No", ["a", "c"], "");
  deepStrictEqual(await askForm(form, {}, prompter), { name: "Ada", age: 36, news: false, tags: ["a", "c"] });
  deepStrictEqual(seen, [
    "Your name",
    "! Expected string, at least 2 characters",
    "age",
    "! Expected integer, at least 18",
    "! Expected integer, at least 18",
    "size (optional): Of the shirt [S|L|(leave out)]",
    "news (optional) [Yes|No|(leave out)] Yes",
    "tags (optional)",
    "pass (optional) (hidden)",
  ]);
});

test("titles of unions are shown, known values are offered, and Ctrl+C leaves the form", async () => {
  const titled = {
    type: "object",
    properties: { level: { oneOf: [{ const: 1, title: "Low" }, { const: 2, title: "High" }] } },
    required: ["level"],
  };
  const { prompter, seen } = person("High");
  deepStrictEqual(await askForm(titled, { level: 1 }, prompter), { level: 2 });
  deepStrictEqual(seen, ["level [Low|High] Low"]);
  strictEqual(await askForm(form, {}, person("Ada", undefined).prompter), undefined);
  const hostile = { type: "object", properties: { x: { type: "string", title: "a\u001b[2J\nb" } } };
  const shown = person("");
  await askForm(hostile, {}, shown.prompter);
  deepStrictEqual(shown.seen, ["a\\u001b[2J b (optional)"]);
});

/** Answers one question. */
async function answer(question: Question, flags: QuestionFlags, asked?: ReturnType<typeof person>) {
  const isTTY = asked !== undefined;
  let notes = "";
  const host = {
    stdout: { write: () => true, isTTY },
    stderr: { write: (text: string) => (notes += text), isTTY: false },
    stdin: { isTTY, async *[Symbol.asyncIterator]() {} },
    env: { NO_COLOR: "1" },
    cwd: "/work",
  };
  const terminal = new Terminal({ ...host, stderr: { ...host.stderr, isTTY } });
  const context = { terminal, host } as unknown as CliContext;
  const answerer = new QuestionAnswerer(flags, context, () => Promise.resolve(asked?.prompter ?? person().prompter));
  const { key } = await answerer.answer({ key: question });
  return { ...key, notes };
}

const size: Question = {
  kind: "elicitation",
  message: "How many?",
  schema: {
    type: "object",
    properties: { count: { type: "integer", minimum: 1 }, gift: { type: "boolean", default: false } },
    required: ["count"],
  },
};
const more: Question = { kind: "more", message: "10 are free", params: { resource: "credits", amount: 3 } };
const url: Question = { kind: "elicitation", message: "Sign in", params: { url: "https://example.com/\u001b[2J" } };
const sampling: Question = {
  kind: "sampling",
  message: "",
  params: {
    systemPrompt: "Be brief",
    messages: [{ role: "user", content: { type: "text", text: "Capital of France?" } }],
  },
};

test("flags answer questions without a person", async () => {
  const none = { notes: "" };
  deepStrictEqual(await answer(size, { answer: ["count=3", "other=1"] }), {
    action: "accept",
    content: { count: 3 },
    ...none,
  });
  deepStrictEqual(await answer(size, { answer: ["count=3"], yes: true }), {
    action: "accept",
    content: { gift: false, count: 3 },
    ...none,
  });
  deepStrictEqual(await answer(more, { yes: true }), { action: "accept", ...none });
  deepStrictEqual(await answer(url, { yes: true }), { action: "accept", ...none });
  const roots = await answer({ kind: "roots", message: "" }, {});
  deepStrictEqual(roots.content, { roots: [{ uri: "file:///work" }] });
});

test("without a terminal a question ends the command with exit code 6, and names the flags", async () => {
  for (
    const [question, flags, hint] of [
      [size, {}, /--answer count=… --answer gift=…/],
      [size, { yes: true }, /--answer count=…/],
      [size, { answer: ["count=0"] }, /--answer count=…/],
      [more, {}, /--yes/],
      [url, { answer: ["count=3"] }, /--yes/],
      [sampling, { yes: true }, /take the part of the model/],
    ] as const
  ) {
    await rejects(answer(question, flags), (thrown: { exitCode: number; hint: string }) => {
      match(thrown.hint, hint);
      return thrown.exitCode === 6;
    });
  }
  await rejects(answer(size, { noAsk: true }, person("Answer", "1")), { exitCode: 6 });
});

test("an answer of flags that the tool refuses is not repeated", async () => {
  const again = { ...size, params: { refused: "count is odd" } };
  await rejects(answer(again, { answer: ["count=3"] }), {
    exitCode: 5,
    code: "answer_refused",
    message: /count is odd/,
  });
});

test("a person answers, declines, cancels, grants, visits and takes the part of the model", async () => {
  const ask = async (question: Question, ...answers: readonly (string | undefined)[]) => {
    const { notes: _, ...given } = await answer(question, {}, person(...answers));
    return given;
  };
  deepStrictEqual(await ask(size, "Answer", "4", "Yes"), { action: "accept", content: { count: 4, gift: true } });
  deepStrictEqual(await ask(size, "Decline"), { action: "decline" });
  deepStrictEqual(await ask(size, undefined), { action: "cancel" });
  deepStrictEqual(await ask(size, "Answer", undefined), { action: "cancel" });
  deepStrictEqual(await ask(more, "Grant"), { action: "accept" });
  deepStrictEqual(await ask(more, "Decline"), { action: "decline" });
  deepStrictEqual(await ask(more, undefined), { action: "cancel" });
  deepStrictEqual(await ask(url, "I have visited it"), { action: "accept" });
  deepStrictEqual(await ask(sampling, "Paris"), {
    action: "accept",
    content: { role: "assistant", content: { type: "text", text: "Paris" }, model: "person" },
  });
});

test("a question is shown with its reason, its address and its conversation, all escaped", async () => {
  const refused = await answer({ ...size, params: { refused: "count is odd" } }, {}, person("Decline"));
  strictEqual(refused.notes, "count is odd\nHow many?\n");
  const visited = await answer(url, {}, person("Decline"));
  strictEqual(visited.notes, "Sign in\n  https://example.com/\\u001b[2J\n");
  const sampled = await answer(sampling, {}, person("Paris"));
  strictEqual(sampled.notes, "  system: Be brief\n  user: Capital of France?\n");
});

test("a page of another scheme than http cannot be opened", async () => {
  const asked = person("I have visited it");
  await answer({ ...url, params: { url: "vscode:evil" } }, {}, asked);
  deepStrictEqual(asked.seen, ["This page has to be visited [I have visited it|Decline]"]);
});
