// What the page says, in English, Japanese and Korean: words.json has a line a word, in this order.

const LANGUAGES = ["en", "ja", "ko"];
const WORDS = wordsOf("words");

// The words by their names, of a list of all names and one for each language: so they are sent, for so they weigh least.
function wordsOf(columns) {
  const [names, ...languages] = columns.map((column) => column.split("|"));
  return Object.fromEntries(names.map((name, at) => [name, languages.map((words) => words[at])]));
}

// The one that was chosen in this tab, or else the first that the browser prefers.
let language = [sessionStorage.getItem("selfrag-language"), ...navigator.languages.map((one) => one.split("-")[0]), "en"]
  .find((one) => LANGUAGES.includes(one));

const word = (name) => WORDS[name][LANGUAGES.indexOf(language)];

// A sentence with values in their places; numbers as the language writes them.
const filled = (name, ...values) => word(name).replace(/\{(\d)\}/g, (_, at) =>
  (typeof values[at] === "number" ? new Intl.NumberFormat(language).format(values[at]) : values[at]));

// A verdict or status in words; one that is not known yet stays as it is.
const inWords = (name) => (Object.hasOwn(WORDS, name) ? word(name) : String(name));

// A number as the language writes it, with this many digits behind the point.
function decimal(value, digits, style = {}) {
  const exact = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, { ...style, ...exact }).format(value);
}

function speak(chosen) {
  language = chosen;
  sessionStorage.setItem("selfrag-language", chosen);
  document.documentElement.lang = chosen;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = word(one.dataset.word);
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", word(one.dataset.label));
  for (const one of document.querySelectorAll("[data-title]")) one.title = word(one.dataset.title);
  for (const one of document.querySelectorAll("[data-hint]")) one.placeholder = word(one.dataset.hint);
}
