/** Typos in queries, the same at each run. */

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 4_294_967_296;
  };
}

/** A word with one typo: a letter left out, doubled, replaced or swapped with the next one, after the first letter. */
function mistype(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const [head, letter, next, tail] = [word.slice(0, at), word[at], word[at + 1] ?? "", word.slice(at + 2)];
  const other = "abcdefghijklmnopqrstuvwxyz"[Math.floor(random() * 26)] ?? "";
  const typos = [
    head + next + tail,
    head + letter + letter + next + tail,
    head + other + next + tail,
    head + next + letter + tail,
  ];
  return typos.filter((typo) => typo !== word)[Math.floor(random() * 4)] ?? head + next + tail;
}

/** A query with typos in that many of its words of at least four letters, if it has as many. */
export function withTypos(query: string, count: number, seed: number): string {
  const random = randomOf(seed);
  const words = query.split(" ");
  const places = words.flatMap((word, index) => word.length >= 4 ? [index] : []);
  for (let left = count; left > 0 && places.length > 0; left--) {
    const [place = 0] = places.splice(Math.floor(random() * places.length), 1);
    words[place] = mistype(words[place] ?? "", random);
  }
  return words.join(" ");
}
