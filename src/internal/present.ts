/** Members, without those that are `undefined`. */
export type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members that are there: one that is `undefined` is left out. */
export function present<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
}
