/**
 * What a URI template's variables are, told from its literal type.
 *
 * @module
 */

/** The names in a list such as `q,limit`. */
export type ListedNames<List extends string> = List extends `${infer First},${infer Rest}` ? First | ListedNames<Rest>
  : List;

/** Names of variables that each URI of a template has: those of all expressions but `{?…}`, `{&…}` and `{;…}`. */
export type RequiredNames<Uri extends string> = Uri extends `${string}{${infer Inner}}${infer Rest}` ?
    | (Inner extends `${"?" | "&" | ";"}${string}` ? never
      : ListedNames<Inner extends `${"+" | "#" | "." | "/"}${infer List}` ? List : Inner>)
    | RequiredNames<Rest>
  : never;

/** Names of variables that a template's URIs may have: those of `{?…}`, `{&…}` and `{;…}`. */
export type OptionalNames<Uri extends string> = Uri extends `${string}{${infer Inner}}${infer Rest}`
  ? (Inner extends `${"?" | "&" | ";"}${infer List}` ? ListedNames<List> : never) | OptionalNames<Rest>
  : never;

/** Names of a template's variables; any, if the template is not a literal. */
export type VariableNames<Uri extends string> = string extends Uri ? string : RequiredNames<Uri> | OptionalNames<Uri>;

/** Values of a template's variables: `{ id: string }` of `docs://{id}`. Those of `{?…}`, `{&…}` and `{;…}` may be missing. */
export type VariablesOf<Uri extends string> = string extends Uri ? Readonly<Record<string, string>>
  : { readonly [Name in RequiredNames<Uri>]: string } & { readonly [Name in OptionalNames<Uri>]?: string };
