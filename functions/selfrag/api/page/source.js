// The source drawer: the passage behind a citation, or its whole document, beside the answer, or as a sheet from below.

// So many characters go along on either side of a quote.
const AROUND = 200;
// Where the drawer has room beside the answer.
const wide = matchMedia("(min-width: 70rem)");

class Sources {
  constructor(citations) {
    this.citations = citations;
    this.marks = [];
    this.sentences = () => [];
  }

  // The number behind a sentence, which opens its source; each has one of its own.
  mark(at) {
    const label = `${word("citation")} ${at + 1}`;
    const open = (event) => { event.stopPropagation(); this.open(at, made); };
    const made = make("button", { type: "button", class: "cite", "aria-label": label, "data-number": at + 1, on: open });
    made.addEventListener("focus", () => this.light(at));
    made.addEventListener("pointerenter", () => this.light(at));
    this.marks[at] = made;
    return made;
  }

  // The documents that are cited, as cards with the numbers of their citations, the first of which each opens.
  cards() {
    const firsts = this.citations.map((one, at) => [one, at]).filter(
      ([one], at) => this.citations.findIndex((other) => other.document === one.document) === at);
    return make("ul", { class: "cards plain", "aria-label": word("sources") }, ...firsts.map(([one, at]) =>
      make("li", {}, make("button", { type: "button", on: (event) => this.open(at, event.currentTarget) },
        make("strong", {}, make("span", { class: "number" }, this.numbersOf(one)), " ", nameIn(one)), make("span", { class: "dim" }, named(one.heading || placeOf(one)))))));
  }

  numbersOf(one) {
    const numbers = this.citations.flatMap((other, at) => (other.document === one.document ? [at + 1] : []));
    const [first, last] = [numbers[0], numbers.at(-1)];
    return first < last && last - first === numbers.length - 1 ? `${first}–${last}` : numbers.join(", ");
  }

  // Mark a sentence and its quote, where the drawer is open; nothing moves, and a document that is read stays.
  light(at) {
    for (const one of document.querySelectorAll(".lit")) one.classList.remove("lit");
    for (const one of this.sentences(at)) one.classList.add("lit");
    this.marks[at]?.classList.add("lit");
    if (!byId("source").hidden && drawn.sources === this && !("reading" in document.body.dataset)) this.draw(at);
  }

  // `from` gets the focus back when the drawer is closed; without it the focus stays where it is. A drawer that a person
  // opens has an entry of the history, so that Back closes it.
  open(at, from = null) {
    if (from && byId("source").hidden) history.pushState({ ...history.state, drawer: { at } }, "");
    this.draw(at);
    this.light(at);
    drawn.from = from;
    if (from) byId("source").querySelector("h2").focus();
  }

  draw(at) {
    if (drawn.sources === this && drawn.at === at && !byId("source").hidden && !("reading" in document.body.dataset)) return;
    Object.assign(drawn, { sources: this, at });
    delete document.body.dataset.reading;
    const one = this.citations[at], last = this.citations.length - 1;
    const step = (to, ...said) => make("button", { type: "button", disabled: to < 0 || to > last ? "" : null, on: () => this.turnTo(to) }, ...said);
    const folder = one.document.split("/").slice(0, -1).join(" / ");
    byId("source").replaceChildren(
      make("header", {}, make("h2", { tabindex: "-1" }, filled("sourceOf", at + 1, last + 1)), closing()),
      make("p", { class: "where" }, make("strong", {}, nameIn(one)), make("span", { class: "dim" },
        ...[folder, one.heading, placeOf(one)].filter(Boolean).flatMap((part, nth) => [nth ? " · " : "", named(part)]))),
      quoteOf(one), copiesOf(one), ...originalOf(one),
      make("p", { class: "actions" }, step(at - 1, "← ", word("previous")), step(at + 1, word("next"), " →")));
    byId("source").hidden = false;
    centre(byId("source").querySelector("mark"), byId("source"));
  }

  turnTo(at) {
    if (at < 0 || at >= this.citations.length) return;
    this.draw(at);
    this.light(at);
    byId("source").querySelector("h2").focus();
  }
}

const closing = () => make("button", { type: "button", "aria-label": word("close"), on: () => closeSource(true) }, "✕");

// Scroll a box so that a mark in it stands in the middle, or begins at the top if it is higher.
function centre(mark, box) {
  const inner = mark.getBoundingClientRect(), outer = box.getBoundingClientRect();
  const above = Math.max(box.querySelector("header").offsetHeight + 16, (outer.height - inner.height) / 2);
  box.scrollTop += inner.top - outer.top - above;
}

// How many near-copies a passage has, and the documents that hold them, as far as they are named.
function copiesOf({ copies = [], copy_count: count = 0 }) {
  if (!count) return "";
  const names = copies.flatMap((name, at) => [at ? ", " : " ", named(name)]);
  return make("p", { class: "dim copies" }, filled(count > 1 ? "copyCount" : "oneCopy", count), ...names, copies.length < count ? ", …" : "");
}

// Buttons that open the document of a citation, and that keep its file.
function originalOf(one) {
  if (!one.document_id) return [];
  const download = () => telling(async () => make("a", { href: await addressOf(one), download: "", rel: "noreferrer" }).click());
  const act = (name, on) => make("button", { type: "button", on }, word(name));
  return [make("p", { class: "actions" }, act("openDocument", () => openOriginal(one)), act("original", download))];
}

// A document by the last part of its name.
const nameIn = (one) => named(one.document.split("/").pop());

// What the drawer shows: whose source, which, and what it was opened from.
const drawn = { sources: null, at: 0, from: null };

// `byHand` says that a person closes it, and goes back to the entry of before.
function closeSource(byHand = false) {
  if (byId("source").hidden) return false;
  byId("source").hidden = true;
  delete document.body.dataset.reading;
  for (const one of document.querySelectorAll(".lit")) one.classList.remove("lit");
  if (drawn.from?.isConnected) drawn.from.focus();
  Object.assign(drawn, { sources: null, from: null });
  if (byHand && history.state?.drawer) history.back();
  return true;
}

// The next source or the one before, of the answer whose drawer is open, or else of the last one.
function turnSource(by) {
  const last = turns.at(-1);
  if (drawn.sources) return drawn.sources.turnTo(drawn.at + by);
  return last?.body.querySelector(".cite")?.click();
}

// A quote where it stands in its passage, of which some is left out on either side if it is long, and no part of a word.
function quoteOf({ before = "", quote, after = "" }) {
  const begins = before.length < AROUND ? before : `…${before.slice(before.search(/\s/) + 1)}`;
  const [above, marked, below] = unwrapped([begins, quote, after.length < AROUND ? after : `${after}…`]);
  return make("blockquote", { dir: "auto", lang: "" }, above, make("mark", {}, marked), below);
}

const FULL_LINE = 45, LONGEST_LINE = 100, BOUND = "\ue000";
const NEW_LINE = /^(?:[-*+•>#]|\d{1,3}[.)]\s)/, COLUMNS = /[|\t{}=;<>`$\\]|\S\x20{2,}\S/, ENDED = /[.!?:。！？：]["'”’)\]]*$/;

// The parts of a text, in which the lines of hard-wrapped paragraphs are joined; those of tables, lists and code stay.
function unwrapped(parts) {
  const lines = parts.map((part) => part.replaceAll(BOUND, "\ufffd")).join(BOUND).split("\n");
  const bare = lines.map((line) => line.replaceAll(BOUND, "").trim());
  const isFull = (line) => line.length >= FULL_LINE && line.length <= LONGEST_LINE && !ENDED.test(line);
  return lines.map((line, at) => {
    if (!at) return line;
    const [before, now] = [bare[at - 1], bare[at]];
    const goesOn = isFull(before) && now && now.length <= LONGEST_LINE && !NEW_LINE.test(now) && !COLUMNS.test(before) && !COLUMNS.test(now);
    return goesOn ? ` ${line.replace(/^(\ue000?)\s+/u, "$1")}` : `\n${line}`;
  }).join("").split(BOUND);
}
