/** What JavaScript calls without being asked (`await`, `JSON.stringify`, string conversion): no tool may have these names. */
export const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["then", "toJSON", "toString", "valueOf"]);
