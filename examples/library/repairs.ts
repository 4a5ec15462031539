/**
 * What the files of some tables need before they are tables: records out of GeoJSON, and faults of the data mended.
 *
 * Each repair says what it found in the file; nothing here guesses.
 *
 * @module
 */

type RawRecord = Record<string, unknown>;

/** Letters whose Latin-1 bytes were once read as Mac Roman, among the films' titles; `LÈon` is `Léon`. */
const misreadLetters: ReadonlyMap<string, string> = new Map([
  ["È", "é"],
  ["Ë", "è"],
  ["Í", "ê"],
  ["Î", "ë"],
  ["‡", "à"],
  ["·", "á"],
  ["‰", "ä"],
  ["Û", "ó"],
  ["Ù", "ô"],
  ["˘", "ù"],
  ["Ö", "…"],
  ["Ω", "½"],
]);

/** The nations' regions as people write them; the file has identifiers. */
const regionNames: ReadonlyMap<unknown, string> = new Map([
  ["america", "Americas"],
  ["east_asia_pacific", "East Asia and Pacific"],
  ["europe_central_asia", "Europe and Central Asia"],
  ["middle_east_north_africa", "Middle East and North Africa"],
  ["south_asia", "South Asia"],
  ["sub_saharan_africa", "Sub-Saharan Africa"],
]);

/** Cars as the file misspells them; `Accelerationord` is an Accord after a careless search and replace. */
const misspeltCarWords: ReadonlyMap<string, string> = new Map([
  ["accelerationord", "accord"],
  ["chevroelt", "chevrolet"],
  ["maxda", "mazda"],
  ["toyouta", "toyota"],
  ["vokswagen", "volkswagen"],
  ["vw", "volkswagen"],
]);

/** Abbreviations that could be read as words; those without a vowel give themselves away. */
const carAbbreviations: ReadonlySet<string> = new Set(["amc", "ii", "iii", "le", "se", "xe"]);

/** Two-letter areas among places that are otherwise written out. */
const areaNames: ReadonlyMap<string | undefined, string> = new Map([["CA", "California"], ["MX", "Mexico"], [
  "NV",
  "Nevada",
]]);

const months: readonly string[] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The newest film of the file is of 2011; a later year lost its century on the way in. */
const lastFilmYear = 2011;

/** Mends the films: titles that are numbers or misspelt, and release dates a hundred years late. */
export function prepareMovies(parsed: unknown): RawRecord[] {
  return toRecords(parsed).map((record) => ({
    ...record,
    "Title": repairTitle(record["Title"]),
    "Release Date": parseReleaseDate(record["Release Date"]),
  }));
}

/** Mends the cars: names as one writes them, and a year where the file has the first of January. */
export function prepareCars(parsed: unknown): RawRecord[] {
  return toRecords(parsed).map((record) => ({
    ...record,
    Name: String(record["Name"]).replace(/[\p{L}\d/.-]+/gu, writeCarWord),
    Year: Number(String(record["Year"]).slice(0, 4)),
  }));
}

/** Drops the columns that repeat the neighbouring rows (`p_…`, `n_…`), and the file's comment. */
export function prepareCountries(parsed: unknown): RawRecord[] {
  return toRecords(parsed).map(({ country, year, life_expect, fertility }) => ({
    country,
    year,
    life_expect,
    fertility,
  }));
}

/** Writes the regions as people do. */
export function prepareNations(parsed: unknown): RawRecord[] {
  return toRecords(parsed).map((record) => ({
    ...record,
    region: regionNames.get(record["region"]) ?? record["region"],
  }));
}

/** Drops the lines that sum up all kinds of a year, which would count every death twice. */
export function prepareDisasters(parsed: unknown): RawRecord[] {
  return toRecords(parsed).filter(({ Entity }) => Entity !== "All natural disasters");
}

/** Flattens the survey's GeoJSON; `area` is what follows the last comma of the place, such as `Alaska`. */
export function prepareEarthquakes(parsed: unknown): RawRecord[] {
  const { features } = toRecord(parsed);
  return toRecords(features).map((feature) => {
    const { place, mag, time, felt, type } = toRecord(feature["properties"]);
    const { coordinates } = toRecord(feature["geometry"]);
    const [longitude, latitude, depth_km] = Array.isArray(coordinates) ? coordinates : [];
    const lastPart = String(place).split(", ").at(-1)?.trim();
    const area = areaNames.get(lastPart) ?? lastPart;
    const isoTime = typeof time === "number" ? new Date(time).toISOString() : null;
    return { place, area, magnitude: mag, time: isoTime, kind: type, felt, depth_km, latitude, longitude };
  });
}

/** Titles such as 300 are numbers in the file; `Brigade, The` puts its article last. */
function repairTitle(title: unknown): string | null {
  if (title === null || title === undefined) return null;
  const letters = [...String(title)].map((letter) => misreadLetters.get(letter) ?? letter).join("");
  return letters.replace(/^(.*), (The|A|An)$/, "$2 $1");
}

/** `chevroelt` becomes `Chevrolet`, `glc` becomes `GLC`, and `320i` stays. */
function writeCarWord(word: string): string {
  const lower = word.toLowerCase();
  const spelt = misspeltCarWords.get(lower) ?? lower;
  const isAbbreviation = carAbbreviations.has(spelt) || (!/[aeiouy.]/.test(spelt));
  return isAbbreviation ? spelt.toUpperCase() : spelt.charAt(0).toUpperCase() + spelt.slice(1);
}

/** `Jun 12 1998` becomes `1998-06-12`. */
function parseReleaseDate(date: unknown): string | null {
  const [month = "", day = "", year = ""] = String(date).split(" ");
  const monthNumber = months.indexOf(month) + 1;
  if (monthNumber === 0) return null;
  const century = Number(year) > lastFilmYear ? 100 : 0;
  return `${Number(year) - century}-${String(monthNumber).padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function toRecord(value: unknown): RawRecord {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function toRecords(value: unknown): RawRecord[] {
  if (!Array.isArray(value)) {
    throw new TypeError(`Cannot read table: its file holds ${typeof value} where rows are expected`);
  }
  return value.map(toRecord);
}
