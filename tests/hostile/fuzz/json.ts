/**
 * Damage to JSON that knows what JSON is made of: members and items dropped, doubled, exchanged, nested, lengthened, of other
 * types, or out of another value.
 *
 * @module
 */
import type { Dice } from "./random.ts";

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
export function oddValue(dice: Dice): unknown {
  return dice.pick<() => unknown>([
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
    () => dice.pick(NAMES),
    () => "\r\n\r\ndata: x\r\n\r\n",
    () => "x".repeat(dice.below(5_000)),
    () => "9".repeat(400),
    () => "é😀\ufeff\ufffd".repeat(dice.below(20)),
    () => [],
    () => [[[]]],
    () => ({}),
    () => ({ then: 1, toJSON: 1, constructor: null }),
    () => nest(dice.pick([2, 100, 500, 511, 512, 513, 600, 5_000])),
    () => new Raw(dice.pick(LITERALS)),
  ])();
}

/** JSON text of up to `length` characters that is as much work as so much text can be. */
export function heavy(dice: Dice, length: number): Raw {
  const size = length - 4_096;
  return new Raw(dice.oneIn(3) ? heavyText(dice, size) : heavyTree(dice, size));
}

function heavyTree(dice: Dice, size: number): string {
  const item = dice.pick<(at: number) => string>([
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
  const name = dice.pick<(at: number) => string>([
    (at) => `k${at}`,
    (at) => `${at}`,
    (at) => `${at * 9_973 % 65_521}`,
    () => "a",
    () => "__proto__",
  ]);
  const isList = dice.oneIn(2);
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

function heavyText(dice: Dice, size: number): string {
  const part = dice.pick(PARTS);
  const text = part.repeat(size / part.length);
  return dice.pick([
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
export function mutate(dice: Dice, value: unknown, donor: unknown): unknown {
  const keys = isObject(value) ? Object.keys(value) : Array.isArray(value) ? Object.keys(value).map(Number) : [];
  if (keys.length === 0 || dice.oneIn(4)) return change(dice, value, donor);
  const key = dice.pick<string | number>(keys);
  if (Array.isArray(value)) return value.with(key as number, mutate(dice, value[key as number], donor));
  const { [key]: member, ...rest } = value as Members;
  return { ...rest, [key]: mutate(dice, member, donor) };
}

/** Damages a value, some of the times in more than one place. */
export function mutateMany(dice: Dice, value: unknown, donor: unknown): unknown {
  let damaged = value;
  for (let times = dice.pick([1, 1, 1, 2, 3]); times > 0; times--) damaged = mutate(dice, damaged, donor);
  return damaged;
}

function change(dice: Dice, value: unknown, donor: unknown): unknown {
  switch (dice.below(8)) {
    case 0:
    case 1:
      return oddValue(dice);
    case 2:
      return ofOtherType(dice, value);
    case 3:
      return deepened(dice, value);
    case 4:
      return partOf(dice, donor);
    default:
      if (isObject(value)) return changeMembers(dice, value, donor);
      if (Array.isArray(value)) return changeItems(dice, value, donor);
      return typeof value === "string" ? changeText(dice, value) : oddValue(dice);
  }
}

function ofOtherType(dice: Dice, value: unknown): unknown {
  return dice.pick<() => unknown>([
    () => [value],
    () => ({ value }),
    () => ({ 0: value, length: 1 }),
    () => write(value),
    () => Number(write(value).length),
    () => value !== null,
    () => null,
  ])();
}

function deepened(dice: Dice, value: unknown): Raw {
  const depth = dice.pick([1, 10, 400, 505, 510, 514, 3_000]);
  const [open, close] = dice.pick([["[", "]"], ['{"a":', "}"], ['[{"b":', "}]"]] as const);
  return new Raw(open.repeat(depth) + write(value) + close.repeat(depth));
}

/** Any part of a value. */
export function partOf(dice: Dice, value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Raw || dice.oneIn(3)) return value;
  const parts = Object.values(value);
  return parts.length === 0 ? value : partOf(dice, dice.pick(parts));
}

function changeMembers(dice: Dice, members: Members, donor: unknown): unknown {
  const names = Object.keys(members);
  const [one = "", two = ""] = [dice.pick(names), dice.pick(names)];
  const { [one]: member, ...rest } = members;
  switch (dice.below(6)) {
    case 0:
      return rest;
    case 1:
      return new Raw(`${write(members).slice(0, -1)}${names.length > 0 ? "," : ""}"${one}":${write(oddValue(dice))}}`);
    case 2:
      return { ...members, [one]: members[two], [two]: member };
    case 3:
      return { ...rest, [dice.pick(NAMES)]: member };
    case 4:
      return { ...members, [dice.pick(NAMES)]: oddValue(dice) };
    default:
      return { ...members, ...(isObject(donor) ? donor : { donor }) };
  }
}

function changeItems(dice: Dice, items: readonly unknown[], donor: unknown): unknown {
  const [one, two] = [dice.below(items.length + 1), dice.below(items.length + 1)];
  switch (dice.below(5)) {
    case 0:
      return items.toSpliced(one, 1);
    case 1:
      return [...items, ...items];
    case 2:
      return items.toSpliced(one, 1, items[two]).toSpliced(two, 1, items[one]);
    case 3:
      return Array.from({ length: dice.pick([3, 50, 1_000]) }, () => items[0]);
    default:
      return items.toSpliced(one, 0, partOf(dice, donor));
  }
}

function changeText(dice: Dice, text: string): string {
  const at = dice.below(text.length + 1);
  switch (dice.below(6)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.repeat(dice.pick([2, 10, 200]));
    case 2:
      return text.toUpperCase();
    case 3:
      return text.slice(at) + text.slice(0, at);
    case 4:
      return text + dice.pick([" ", "\n", "\0", "=", "%00", "\ud800", "\u202e", "/"]);
    default:
      return text.slice(0, at) + dice.pick(["\r\n", "\0", "é", "😀", "\ufeff", "%2f", "../", '"', "\\"]) +
        text.slice(at);
  }
}
