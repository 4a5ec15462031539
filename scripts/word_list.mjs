/**
 * Words and phrases that do not belong in comments and documentation, each with plain technical replacements.
 *
 * This is the only place for them: `scripts/words.mjs` and `tests/docs/words_test.ts` read this list, and a test compares it with the
 * table in `docs/style.md`. Phrases may span a line break. Text in backticks is not searched.
 *
 * @module
 */

/** `words` is the first column of the table, `instead` the second. Every pattern is case-insensitive and global. */
export const WORD_LIST = [
  {
    words: "tell, told",
    pattern: /\b(?:tells?|telling|told)\b/gi,
    instead: "report, return, notify, distinguish; receives, is given",
  },
  { words: "whoever", pattern: /\bwho(?:m|se)?(?:so)?ever\b/gi, instead: "the caller, any client that" },
  { words: "nobody", pattern: /\bnobody\b/gi, instead: "no caller, no process; or the passive voice" },
  {
    words: "somebody, anybody, everybody",
    pattern: /\b(?:some|any|every)body\b/gi,
    instead: "a caller, another process, any client, all users",
  },
  {
    words: "is none",
    pattern: /\b(?:is|are|was|were|be|been) none\b(?! of\b)/gi,
    instead: "is absent, is missing; is not a …",
  },
  {
    words: "is no …",
    pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|later\b|earlier\b)(?=[a-z])/gi,
    instead: "is not a … (`there is no …` is fine)",
  },
  {
    words: "of its own",
    pattern: /\bof (?:its|their|our|your|his|her|one's) own\b/gi,
    instead: "its own …, a separate …",
  },
  { words: "anew", pattern: /\banew\b/gi, instead: "again; restarts, reconnects, resets" },
  { words: "said", pattern: /\bsaid\b/gi, instead: "sent, stated, specified, reported" },
  { words: "speak, spoken", pattern: /\b(?:speaks?|speaking|spoken)\b/gi, instead: "supports, implements, uses" },
  { words: "hear, heard", pattern: /\b(?:hears?|heard|hearing)\b/gi, instead: "receives, is notified of" },
  {
    words: "to be had",
    pattern: /\b(?:to be|is|are|was|were|can be|cannot be) had\b/gi,
    instead: "is available; is obtained",
  },
  {
    words: "held to",
    pattern: /\b(?:held|holds?) to\b/gi,
    instead: "is validated against, is limited to, complies with",
  },
  { words: "counts for nothing", pattern: /\bcount(?:s|ed)? for nothing\b/gi, instead: "is ignored" },
  {
    words: "comes of, makes of",
    pattern: /\b(?:(?:be)?comes? of|makes? of)\b/gi,
    instead: "results in, happens to; the result of",
  },
  {
    words: "goes on",
    pattern: /\b(?:go|goes|going|gone|went) on\b/gi,
    instead: "continues, resumes, is still running",
  },
  {
    words: "has gone",
    pattern: /\b(?:has|have|had|is|are|was|were|be|been) gone\b(?! on\b)/gi,
    instead: "has disconnected, is closed, was removed",
  },
  { words: "let go", pattern: /\b(?:let|lets|letting) go\b/gi, instead: "releases" },
  { words: "forgotten", pattern: /\b(?:forgets|forgotten)\b/gi, instead: "is deleted, is evicted, is dropped" },
  { words: "stands", pattern: /\bstands\b(?! (?:in )?for\b)/gi, instead: "is, is in, is located" },
  { words: "for good", pattern: /\bfor good\b/gi, instead: "permanently" },
].map(({ words, pattern, instead }) => ({
  words,
  // Line breaks inside a phrase: a space of the pattern matches any white space.
  pattern: new RegExp(pattern.source.replaceAll(" ", "\\s+"), pattern.flags),
  instead,
}));
