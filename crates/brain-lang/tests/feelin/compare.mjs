// Runs ../feel_table.tsv through feelin and compares its results with the ones the table expects of Brain.
//
// A row marked `deviates: why` must differ from feelin, every other row must agree: so a deviation that has healed, or
// one that nobody wrote down, fails. Numbers are compared as floats, because feelin has nothing else.

import { readFileSync } from "node:fs";
import { evaluate, unaryTest } from "feelin";

const TOLERANCE = 1e-12;
const table = readFileSync(new URL("../feel_table.tsv", import.meta.url), "utf8");

/** What feelin says: JSON, or `!` if it refuses the expression. */
function run(source, context) {
  try {
    const { value } = source.startsWith("unary: ")
      ? unaryTest(source.slice("unary: ".length), context)
      : evaluate(source, context);
    return value === undefined ? null : JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    return "!";
  }
}

/** Whether feelin's result is the expected one. Our exact decimals are texts in JSON; feelin's numbers are floats. */
function agrees(expected, found) {
  if (typeof found === "number") {
    const number = typeof expected === "string" ? Number(expected) : expected;
    return typeof number === "number" && Math.abs(number - found) <= TOLERANCE * Math.max(1, Math.abs(number));
  }
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) && expected.length === found.length && expected.every((item, i) => agrees(item, found[i]))
    );
  }
  if (expected !== null && typeof expected === "object") {
    if (found === null || typeof found !== "object" || Array.isArray(found)) return false;
    const keys = Object.keys(expected);
    return keys.length === Object.keys(found).length && keys.every((key) => key in found && agrees(expected[key], found[key]));
  }
  return expected === found;
}

let rows = 0;
let deviations = 0;
const wrong = [];
table.split("\n").forEach((line, i) => {
  if (line === "" || line.startsWith("#")) return;
  const [source, context, expected, note] = line.split("\t");
  const found = run(source, JSON.parse(context));
  const same = expected.startsWith("!") ? found === "!" : found !== "!" && agrees(JSON.parse(expected), found);
  rows += 1;
  if (note) deviations += 1;
  if (same === Boolean(note)) {
    const what = note ? `agrees, but is marked "${note}"` : `expected ${expected}, feelin says ${JSON.stringify(found)}`;
    wrong.push(`line ${i + 1}: ${source}\n  ${what}`);
  }
});

if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
console.log(`${rows} rows: ${rows - deviations} agree with feelin, ${deviations} deviate as written down`);
