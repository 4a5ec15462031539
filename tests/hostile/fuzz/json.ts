/**
 * Damage to JSON that knows what JSON is made of: members and items dropped, doubled, exchanged, nested, lengthened, of other
 * types, or out of another value.
 */
import type { RandomChoices } from "./random.ts";

/** JSON text that stands for a value: for what no value is written as. */
export class Raw {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** JSON objects by any other name. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether it is what JSON calls an object. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Raw);
}

/** Writes a value, and what is {@link Raw} as it is. */
export function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join()}}`;
}

/** Arrays in arrays, written as text: some runtimes cannot stringify them. */
export function nest(depth: number): Raw {
  return new Raw("[".repeat(depth) + "]".repeat(depth));
}

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "then",
  "toJSON",
  "",
  "length",
  "extra",
  "_meta",
  "name",
  "id",
] as const;

const LITERALS = [
  "-0",
  "1e999",
  "-1e999",
  "1e-999",
  "9007199254740993",
  "0.1e1",
  "01",
  "+1",
  "1.",
  ".5",
  "NaN",
  "Infinity",
  "undefined",
  "'a'",
  "{,}",
  "[,]",
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '"\\ud800"',
  '"\\u0000"',
  '"\\u2028\\u2029"',
  '"\t"',
  '"\\x41"',
  "1 2",
  "null",
] as const;

/** A value that has no business where it is put. */
export function oddValue(random: RandomChoices): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => true,
    () => false,
    () => 0,
    () => 1.5,
    () => -1,
    () => 2 ** 53,
    () => -(2 ** 53),
    () => 1e308,
    () => "",
    () => random.pick(NAMES),
    () => "\r\n\r\ndata: x\r\n\r\n",
    () => "x".repeat(random.below(5_000)),
    () => "9".repeat(400),
    () => "é😀\ufeff\ufffd".repeat(random.below(20)),
    () => [],
    () => [[[]]],
    () => ({}),
    () => ({ then: 1, toJSON: 1, constructor: null }),
    () => nest(random.pick([2, 100, 500, 511, 512, 513, 600, 5_000])),
    () => new Raw(random.pick(LITERALS)),
  ])();
}

/** JSON text of up to `length` characters that is as much work as so much text can be. */
export function heavy(random: RandomChoices, length: number): Raw {
  const size = length - 4_096;
  return new Raw(random.oneIn(3) ? heavyText(random, size) : heavyTree(random, size));
}

function heavyTree(random: RandomChoices, size: number): string {
  const item = random.pick<(at: number) => string>([
    () => "0",
    () => '""',
    () => "{}",
    () => "[]",
    () => "null",
    () => "1e999",
    () => '{"a":{"b":[1,"x"]}}',
    () => '{"__proto__":{}}',
    () => "[".repeat(250) + "]".repeat(250),
    (at) => `${at}`,
    (at) => `"${at}"`,
    (at) => `{"k${at}":0}`,
    (at) => `{"a":[${at}]}`,
  ]);
  const name = random.pick<(at: number) => string>([
    (at) => `k${at}`,
    (at) => `${at}`,
    (at) => `${at * 9_973 % 65_521}`,
    () => "a",
    () => "__proto__",
  ]);
  const isList = random.oneIn(2);
  const parts: string[] = [];
  for (let at = 0, left = size; left > 0; at++) {
    const text = isList ? item(at) : `"${name(at)}":${item(at)}`;
    left -= text.length + 1;
    parts.push(text);
  }
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
}

/** Parts of texts that patterns may go through again and again. */
const PARTS = [
  "a ",
  "a.",
  "a@",
  "a-",
  "1:",
  "/a",
  "%20",
  "a!",
  "[:",
  "0.",
  ".-",
  "=?",
  "a@a.",
  "a",
  "\\n",
  "\\u0000",
] as const;

function heavyText(random: RandomChoices, size: number): string {
  const part = random.pick(PARTS);
  const text = part.repeat(size / part.length);
  return random.pick([
    `"${text}"`,
    `"${text}"`,
    `"a@${text}!"`,
    `"http://${text}\\u0000"`,
    `"${"é".repeat(size / 2)}"`,
    "9".repeat(size),
    `0.${"1".repeat(size)}`,
    `${" ".repeat(size)}{}`,
  ]);
}

/** Damages a value in one place, wherever that is. */
export function mutate(random: RandomChoices, value: unknown, donor: unknown): unknown {
  const keys = isObject(value) ? Object.keys(value) : Array.isArray(value) ? Object.keys(value).map(Number) : [];
  if (keys.length === 0 || random.oneIn(4)) return change(random, value, donor);
  const key = random.pick<string | number>(keys);
  if (Array.isArray(value)) return value.with(key as number, mutate(random, value[key as number], donor));
  const { [key]: member, ...rest } = value as Members;
  return { ...rest, [key]: mutate(random, member, donor) };
}

/** Damages a value, some of the times in more than one place. */
export function mutateMany(random: RandomChoices, value: unknown, donor: unknown): unknown {
  let damaged = value;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) damaged = mutate(random, damaged, donor);
  return damaged;
}

function change(random: RandomChoices, value: unknown, donor: unknown): unknown {
  switch (random.below(8)) {
    case 0:
    case 1:
      return oddValue(random);
    case 2:
      return ofOtherType(random, value);
    case 3:
      return deepened(random, value);
    case 4:
      return partOf(random, donor);
    default:
      if (isObject(value)) return changeMembers(random, value, donor);
      if (Array.isArray(value)) return changeItems(random, value, donor);
      return typeof value === "string" ? changeText(random, value) : oddValue(random);
  }
}

function ofOtherType(random: RandomChoices, value: unknown): unknown {
  return random.pick<() => unknown>([
    () => [value],
    () => ({ value }),
    () => ({ 0: value, length: 1 }),
    () => write(value),
    () => Number(write(value).length),
    () => value !== null,
    () => null,
  ])();
}

function deepened(random: RandomChoices, value: unknown): Raw {
  const depth = random.pick([1, 10, 400, 505, 510, 514, 3_000]);
  const [open, close] = random.pick([["[", "]"], ['{"a":', "}"], ['[{"b":', "}]"]] as const);
  return new Raw(open.repeat(depth) + write(value) + close.repeat(depth));
}

/** Any part of a value. */
export function partOf(random: RandomChoices, value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Raw || random.oneIn(3)) return value;
  const parts = Object.values(value);
  return parts.length === 0 ? value : partOf(random, random.pick(parts));
}

function changeMembers(random: RandomChoices, members: Members, donor: unknown): unknown {
  const names = Object.keys(members);
  const [one = "", two = ""] = [random.pick(names), random.pick(names)];
  const { [one]: member, ...rest } = members;
  switch (random.below(6)) {
    case 0:
      return rest;
    case 1:
      return new Raw(
        `${write(members).slice(0, -1)}${names.length > 0 ? "," : ""}"${one}":${write(oddValue(random))}}`,
      );
    case 2:
      return { ...members, [one]: members[two], [two]: member };
    case 3:
      return { ...rest, [random.pick(NAMES)]: member };
    case 4:
      return { ...members, [random.pick(NAMES)]: oddValue(random) };
    default:
      return { ...members, ...(isObject(donor) ? donor : { donor }) };
  }
}

function changeItems(random: RandomChoices, items: readonly unknown[], donor: unknown): unknown {
  const [one, two] = [random.below(items.length + 1), random.below(items.length + 1)];
  switch (random.below(5)) {
    case 0:
      return items.toSpliced(one, 1);
    case 1:
      return [...items, ...items];
    case 2:
      return items.toSpliced(one, 1, items[two]).toSpliced(two, 1, items[one]);
    case 3:
      return Array.from({ length: random.pick([3, 50, 1_000]) }, () => items[0]);
    default:
      return items.toSpliced(one, 0, partOf(random, donor));
  }
}

function changeText(random: RandomChoices, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.repeat(random.pick([2, 10, 200]));
    case 2:
      return text.toUpperCase();
    case 3:
      return text.slice(at) + text.slice(0, at);
    case 4:
      return text + random.pick([" ", "\n", "\0", "=", "%00", "\ud800", "\u202e", "/"]);
    default:
      return text.slice(0, at) + random.pick(["\r\n", "\0", "é", "😀", "\ufeff", "%2f", "../", '"', "\\"]) +
        text.slice(at);
  }
}
