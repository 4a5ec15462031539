/**
 * The library's shelf list: which tables there are, what their rows are called, and what reports look at.
 *
 * This is the one file to change to add a table. It holds words and columns, and no reading, counting or searching.
 *
 * @module
 */
import type { Row } from "./cells.ts";
import { numberOf, textOf } from "./cells.ts";
import { formatCount, formatDecimal, formatDollars, formatPoint, formatTenths } from "./format.ts";
import {
  prepareCars,
  prepareCountries,
  prepareDisasters,
  prepareEarthquakes,
  prepareMovies,
  prepareNations,
} from "./repairs.ts";
import type { Grouping, Measure, TableSpec } from "./table_spec.ts";

const worldwideGross: Measure = { column: "Worldwide Gross", name: "worldwide gross", format: formatDollars };
const budget: Measure = { column: "Production Budget", name: "production budget", format: formatDollars };
const imdbRating: Measure = { column: "IMDB Rating", name: "IMDB rating", format: formatTenths };
const imdbVotes = { column: "IMDB Votes", name: "IMDB votes", value: 20_000 };
const genre: Grouping = { column: "Major Genre", name: "genre" };

const movies: TableSpec = {
  id: "movies",
  file: "movies.json",
  title: "Movies",
  about: "Feature films with their budgets, their takings and what critics and viewers made of them.",
  noun: ["film", "films"],
  // The last is the dataset of the MCP-lite specification's example (docs/spec.md A.3).
  aliases: ["movie", "film", "films", "cinema", "large_dataset_001"],
  prepare: prepareMovies,
  titleOf: (row) => textOf(row, "Title") ?? "Untitled",
  excerptOf: describeFilm,
  // Fame: what people voted on, or, where the votes are missing, paid for.
  weightOf: (row) =>
    1 + Math.log10(1 + Math.max(numberOf(row, "IMDB Votes") ?? 0, (numberOf(row, "Worldwide Gross") ?? 0) / 1000)) / 3,
  span: "Release Date",
  measures: [
    worldwideGross,
    budget,
    imdbRating,
    { column: "Rotten Tomatoes Rating", name: "Rotten Tomatoes rating", format: formatCount, unit: "%" },
    { column: "Running Time min", name: "running time", format: formatCount, unit: " minutes" },
  ],
  groupings: [genre, { column: "MPAA Rating", name: "MPAA rating" }, { column: "Director", name: "director" }],
  comparison: { grouping: genre, measure: imdbRating, by: "mean", fewestRows: 30 },
  rankings: [
    { name: "Highest worldwide gross", measure: worldwideGross, order: "highest" },
    { name: "Best rated on IMDB", measure: imdbRating, order: "highest", atLeast: imdbVotes },
    { name: "Worst rated on IMDB", measure: imdbRating, order: "lowest", atLeast: imdbVotes },
    { name: "Largest budget", measure: budget, order: "highest" },
  ],
};

function describeFilm(row: Row): string {
  const year = textOf(row, "Release Date")?.slice(0, 4);
  const kind = [textOf(row, "Creative Type")?.toLowerCase(), year].filter((word) => word !== undefined).join(", ");
  const director = textOf(row, "Director");
  const distributor = textOf(row, "Distributor");
  const rating = numberOf(row, "IMDB Rating");
  const gross = numberOf(row, "Worldwide Gross") ?? 0;
  const source = textOf(row, "Source");
  return [
    `${textOf(row, "Major Genre") ?? "Feature"} film (${kind})`,
    director === undefined ? "" : `, directed by ${director}`,
    // "Warner Bros." brings its own full stop.
    distributor === undefined ? "." : `, distributed by ${distributor.replace(/\.$/, "")}.`,
    source === undefined || !source.startsWith("Based") ? "" : ` ${source}.`,
    rating === undefined
      ? ""
      : ` IMDB ${rating.toFixed(1)} from ${formatCount(numberOf(row, "IMDB Votes") ?? 0)} votes.`,
    gross === 0 ? "" : ` Grossed ${formatDollars(gross)} worldwide.`,
  ].join("");
}

const latitude: Measure = { column: "latitude", name: "latitude", format: formatDecimal, unit: "°" };

const airports: TableSpec = {
  id: "airports",
  file: "airports.csv",
  title: "Airports",
  about: "Airports of the United States and its territories, from the large hubs to grass strips.",
  noun: ["airport", "airports"],
  aliases: ["airport", "airfields"],
  missing: ["NA"],
  titleOf: (row) => `${textOf(row, "name") ?? "Unnamed"} (${textOf(row, "iata") ?? "no code"})`,
  excerptOf: (row) => {
    const place = ["city", "state", "country"].flatMap((column) => textOf(row, column) ?? []);
    const point = formatPoint(numberOf(row, "latitude") ?? 0, numberOf(row, "longitude") ?? 0);
    return `Airport in ${place.join(", ")}, at ${point}.`;
  },
  measures: [latitude, { column: "longitude", name: "longitude", format: formatDecimal, unit: "°" }],
  groupings: [{ column: "state", name: "state" }, { column: "city", name: "city" }],
  rankings: [
    { name: "Northernmost", measure: latitude, order: "highest" },
    { name: "Southernmost", measure: latitude, order: "lowest" },
  ],
};

const mileage: Measure = { column: "Miles_per_Gallon", name: "mileage", format: formatDecimal, unit: " mpg" };
const horsepower: Measure = { column: "Horsepower", name: "power", format: formatCount, unit: " hp" };
const weight: Measure = { column: "Weight_in_lbs", name: "weight", format: formatCount, unit: " lb" };
const acceleration: Measure = { column: "Acceleration", name: "time to 60 mph", format: formatDecimal, unit: " s" };
const origin: Grouping = { column: "Origin", name: "origin" };

const cars: TableSpec = {
  id: "cars",
  file: "cars.json",
  title: "Cars",
  about: "Cars of the model years 1970 to 1982 with their engines, weights and mileages.",
  noun: ["car", "cars"],
  aliases: ["car", "automobiles", "vehicles"],
  prepare: prepareCars,
  titleOf: (row) => textOf(row, "Name") ?? "Unnamed",
  excerptOf: (row) => {
    const parts = [horsepower, weight, mileage].flatMap(({ column, format, unit = "" }) => {
      const value = numberOf(row, column);
      return value === undefined ? [] : [`${format(value)}${unit}`];
    });
    const from = textOf(row, "Origin") === "USA" ? "the USA" : textOf(row, "Origin") ?? "an unknown place";
    const engine = `${textOf(row, "Cylinders") ?? "?"} cylinders`;
    return `Car of ${textOf(row, "Year") ?? "an unknown year"} from ${from}: ${[engine, ...parts].join(", ")}.`;
  },
  span: "Year",
  measures: [mileage, horsepower, weight, acceleration],
  groupings: [origin, { column: "Cylinders", name: "number of cylinders" }],
  comparison: { grouping: origin, measure: mileage, by: "mean", fewestRows: 10 },
  rankings: [
    { name: "Most miles to the gallon", measure: mileage, order: "highest" },
    { name: "Most powerful", measure: horsepower, order: "highest" },
    { name: "Quickest from 0 to 60 mph", measure: acceleration, order: "lowest" },
  ],
};

const bodyMass: Measure = { column: "Body Mass (g)", name: "body mass", format: formatCount, unit: " g" };
const flipper: Measure = { column: "Flipper Length (mm)", name: "flipper length", format: formatCount, unit: " mm" };
const species: Grouping = { column: "Species", name: "species" };

const penguins: TableSpec = {
  id: "penguins",
  file: "penguins.json",
  title: "Penguins",
  about: "Penguins of three species, measured on three islands of the Palmer Archipelago in Antarctica.",
  noun: ["penguin", "penguins"],
  aliases: ["penguin", "birds"],
  missing: ["."],
  titleOf: (row) => `${textOf(row, "Species") ?? "Unknown"} penguin of ${textOf(row, "Island") ?? "an unknown"} island`,
  excerptOf: (row) => {
    const sex = textOf(row, "Sex")?.toLowerCase() ?? "sex unknown";
    const mass = numberOf(row, "Body Mass (g)");
    if (mass === undefined) return `Penguin, ${sex}, not measured.`;
    const beak = `${numberOf(row, "Beak Length (mm)") ?? "?"} by ${numberOf(row, "Beak Depth (mm)") ?? "?"} mm`;
    return `Penguin, ${sex}: ${formatCount(mass)} g, beak ${beak}, flipper ${
      numberOf(row, "Flipper Length (mm)") ?? "?"
    } mm.`;
  },
  // Two were never measured; they match as well as the others and say nothing.
  weightOf: (row) => (numberOf(row, "Body Mass (g)") === undefined ? 0.5 : 1),
  measures: [
    bodyMass,
    flipper,
    { column: "Beak Length (mm)", name: "beak length", format: formatDecimal, unit: " mm" },
    { column: "Beak Depth (mm)", name: "beak depth", format: formatDecimal, unit: " mm" },
  ],
  groupings: [species, { column: "Island", name: "island" }, { column: "Sex", name: "sex" }],
  comparison: { grouping: species, measure: bodyMass, by: "mean", fewestRows: 10 },
  rankings: [
    { name: "Heaviest", measure: bodyMass, order: "highest" },
    { name: "Lightest", measure: bodyMass, order: "lowest" },
    { name: "Longest flippers", measure: flipper, order: "highest" },
  ],
};

const lifeExpectancy: Measure = {
  column: "life_expect",
  name: "life expectancy",
  format: formatDecimal,
  unit: " years",
};
const fertility: Measure = { column: "fertility", name: "number of children per woman", format: formatDecimal };
const country: Grouping = { column: "country", name: "country" };

const countries: TableSpec = {
  id: "countries",
  file: "countries.json",
  title: "Countries through time",
  about: "Life expectancy and fertility in 62 countries, every five years from 1955 to 2000 (Gapminder).",
  noun: ["record", "records"],
  aliases: ["country", "life expectancy", "fertility"],
  prepare: prepareCountries,
  titleOf: (row) => `${textOf(row, "country") ?? "Unknown"}, ${textOf(row, "year") ?? "no year"}`,
  excerptOf: (row) => {
    const years = formatDecimal(numberOf(row, "life_expect") ?? 0);
    const children = formatDecimal(numberOf(row, "fertility") ?? 0);
    return `Life expectancy at birth ${years} years; ${children} children per woman.`;
  },
  span: "year",
  measures: [lifeExpectancy, fertility],
  groupings: [],
  comparison: { grouping: country, measure: lifeExpectancy, by: "mean", fewestRows: 5 },
  rankings: [
    { name: "Longest lives", measure: lifeExpectancy, order: "highest" },
    { name: "Shortest lives", measure: lifeExpectancy, order: "lowest" },
    { name: "Most children", measure: fertility, order: "highest" },
  ],
};

const income: Measure = { column: "income", name: "income per person", format: formatDollars };
const health: Measure = { column: "health", name: "life expectancy", format: formatDecimal, unit: " years" };
const population: Measure = { column: "population", name: "population", format: formatCount };
const region: Grouping = { column: "region", name: "region" };

const wealth: TableSpec = {
  id: "gapminder-health-income",
  file: "gapminder-health-income.csv",
  title: "Health and income of nations",
  about: "Income, life expectancy and population of 187 countries, one row each (Gapminder).",
  noun: ["country", "countries"],
  aliases: ["health", "income", "wealth", "nations", "gapminder"],
  prepare: prepareNations,
  titleOf: (row) => textOf(row, "country") ?? "Unknown",
  excerptOf: (row) => {
    const people = formatCount(numberOf(row, "population") ?? 0);
    const earned = formatDollars(numberOf(row, "income") ?? 0);
    const years = formatDecimal(numberOf(row, "health") ?? 0);
    return `Country (${textOf(row, "region") ?? "region unknown"}) of ${people} people: ` +
      `income ${earned} per person, life expectancy ${years} years.`;
  },
  weightOf: () => 1.5,
  measures: [income, health, population],
  groupings: [region],
  comparison: { grouping: region, measure: income, by: "mean", fewestRows: 3 },
  rankings: [
    { name: "Richest", measure: income, order: "highest" },
    { name: "Longest lives", measure: health, order: "highest" },
    { name: "Most people", measure: population, order: "highest" },
  ],
};

const deaths: Measure = { column: "Deaths", name: "deaths", format: formatCount, unit: " deaths" };
const disasterKind: Grouping = { column: "Entity", name: "kind" };

const disasters: TableSpec = {
  id: "disasters",
  file: "disasters.csv",
  title: "Natural disasters",
  about: "Deaths worldwide by kind of natural disaster and year, from EM-DAT. Yearly sums of all kinds are left out.",
  noun: ["yearly figure", "yearly figures"],
  aliases: ["disaster", "catastrophes"],
  prepare: prepareDisasters,
  titleOf: (row) => `${textOf(row, "Entity") ?? "Unknown"}, ${textOf(row, "Year") ?? "no year"}`,
  excerptOf: (row) => {
    const kind = (textOf(row, "Entity") ?? "unknown causes").toLowerCase();
    const toll = formatCount(numberOf(row, "Deaths") ?? 0);
    return `Deaths worldwide from ${kind} in ${textOf(row, "Year") ?? "an unknown year"}: ${toll}.`;
  },
  weightOf: (row) => 1 + Math.log10(1 + (numberOf(row, "Deaths") ?? 0)) / 10,
  span: "Year",
  measures: [{ ...deaths, name: "toll of one year" }],
  groupings: [disasterKind],
  comparison: { grouping: disasterKind, measure: deaths, by: "sum", fewestRows: 5 },
  rankings: [{ name: "Deadliest", measure: deaths, order: "highest" }],
};

const magnitude: Measure = { column: "magnitude", name: "magnitude", format: formatDecimal };
const depth: Measure = { column: "depth_km", name: "depth", format: formatDecimal, unit: " km" };
const felt: Measure = { column: "felt", name: "echo among people", format: formatCount, unit: " reports" };

const earthquakes: TableSpec = {
  id: "earthquakes",
  file: "earthquakes.json",
  title: "Earthquakes",
  about: "Every tremor that the US Geological Survey recorded in the week before 7 February 2018.",
  noun: ["tremor", "tremors"],
  aliases: ["earthquake", "quakes", "tremors", "seismic"],
  prepare: prepareEarthquakes,
  titleOf: (row) => `M ${(numberOf(row, "magnitude") ?? 0).toFixed(1)}, ${textOf(row, "place") ?? "place unknown"}`,
  excerptOf: (row) => {
    const [day = "an unknown day", clock = ""] = textOf(row, "time")?.split("T") ?? [];
    const felt = numberOf(row, "felt") ?? 0;
    return `Tremor (${textOf(row, "kind") ?? "unknown"}) on ${day} at ${clock.slice(0, 5)} UTC, ` +
      `${formatDecimal(numberOf(row, "depth_km") ?? 0)} km deep${felt === 0 ? "" : `, felt by ${formatCount(felt)}`}.`;
  },
  weightOf: (row) => 1 + Math.max(0, numberOf(row, "magnitude") ?? 0) / 2,
  span: "time",
  measures: [magnitude, depth, felt],
  groupings: [{ column: "kind", name: "kind" }, { column: "area", name: "area" }],
  comparison: { grouping: { column: "area", name: "area" }, measure: magnitude, by: "mean", fewestRows: 10 },
  rankings: [
    { name: "Strongest", measure: magnitude, order: "highest" },
    { name: "Felt by most people", measure: felt, order: "highest" },
    { name: "Deepest", measure: depth, order: "highest" },
  ],
};

const penicillin = measureDose("Penicillin");
const neomycin = measureDose("Neomycin");
const streptomycin = measureDose("Streptomycin");
const gramStaining: Grouping = { column: "Gram_Staining", name: "Gram staining" };

const burtin: TableSpec = {
  id: "burtin",
  file: "burtin.json",
  title: "Antibiotics against bacteria",
  about: "How much of three antibiotics it takes to stop 16 bacteria, after Will Burtin's chart of 1951.",
  noun: ["bacterium", "bacteria"],
  aliases: ["antibiotics", "bacteria", "bacterium"],
  titleOf: (row) => textOf(row, "Bacteria") ?? "Unknown",
  excerptOf: (row) => {
    const doses = [penicillin, streptomycin, neomycin].map(({ column }) => {
      return `${column.toLowerCase()} ${textOf(row, column) ?? "?"}`;
    });
    const staining = `Gram-${textOf(row, "Gram_Staining") ?? "unknown"}`;
    return `Bacterium, ${staining}. Stopped by, in units per millilitre: ${doses.join(", ")}.`;
  },
  measures: [penicillin, streptomycin, neomycin],
  groupings: [gramStaining, { column: "Genus", name: "genus" }],
  comparison: { grouping: gramStaining, measure: penicillin, by: "mean", fewestRows: 3 },
  rankings: [
    { name: "Most sensitive to penicillin", measure: penicillin, order: "lowest" },
    { name: "Least sensitive to penicillin", measure: penicillin, order: "highest" },
  ],
};

function measureDose(column: string): Measure {
  return { column, name: `dose of ${column.toLowerCase()}`, format: formatDecimal, unit: " units/ml" };
}

const capitalLatitude: Measure = { ...latitude, column: "lat" };

const capitals: TableSpec = {
  id: "us-state-capitals",
  file: "us-state-capitals.json",
  title: "Capitals of the United States",
  about: "The capital city of each of the 50 states, and where it lies.",
  noun: ["capital", "capitals"],
  aliases: ["capital", "capitals", "states", "state capitals"],
  titleOf: (row) => `${textOf(row, "city") ?? "Unknown"}, ${textOf(row, "state") ?? "unknown state"}`,
  excerptOf: (row) => {
    const place = formatPoint(numberOf(row, "lat") ?? 0, numberOf(row, "lon") ?? 0);
    return `Capital of ${textOf(row, "state") ?? "an unknown state"}, at ${place}.`;
  },
  measures: [capitalLatitude, { column: "lon", name: "longitude", format: formatDecimal, unit: "°" }],
  groupings: [],
  rankings: [
    { name: "Northernmost", measure: capitalLatitude, order: "highest" },
    { name: "Southernmost", measure: capitalLatitude, order: "lowest" },
  ],
};

/** Every table of the library, in the order in which it is listed. */
export const catalog: readonly TableSpec[] = [
  movies,
  airports,
  burtin,
  cars,
  countries,
  disasters,
  earthquakes,
  wealth,
  penguins,
  capitals,
];

/**
 * Finds the table a topic names, by its id, its title or another name for it; case and a closing "table" do not count.
 *
 * @returns The table, or undefined if the topic names none and is something to search for.
 */
export function findTable(topic: string): TableSpec | undefined {
  const name = topic.trim().toLowerCase().replace(/^the\s+/, "").replace(/\s+(table|dataset)$/, "");
  return catalog.find((table) => [table.id, table.title.toLowerCase(), ...table.aliases].includes(name));
}
