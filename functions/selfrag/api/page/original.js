// The document of a citation in the drawer, at the place that is cited: a PDF as it is, all others as extracted text.

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

// The address of a document's file for a minute. On this machine it has another name than the page may have.
async function addressOf(citation, query = "") {
  const { said } = await call("GET", `/v1/documents/${encodeURIComponent(citation.document_id)}/original${query}`);
  const url = new URL(said.url, location.href);
  return LOOPBACK.test(url.hostname) && LOOPBACK.test(location.hostname) ? url.pathname : url.href;
}

// A PDF stands beside the answer, or has a tab of its own where there is no room; without a file there is its text.
function openOriginal(citation) {
  const isPdf = /\.pdf$/i.test(citation.document);
  // A tab that is opened later, when the address has come, would be taken for an advertisement.
  const tab = isPdf && !wide.matches ? open("", "_blank") : null;
  if (tab) tab.opener = null;
  return telling(async () => {
    try {
      if (!isPdf) return await readText(citation);
      const address = `${await addressOf(citation, "?inline=true")}#page=${citation.page || 1}`;
      if (tab) return tab.location.replace(address);
      return read(citation, make("iframe", { src: address, title: seen(citation.document) }));
    } catch (problem) {
      tab?.close();
      if (!isPdf || problem.status !== 404) throw problem;
      return readText(citation);
    }
  });
}

// Show a document in the place of its quote; the way back leads to that.
function read(citation, content) {
  const { sources, at } = drawn;
  const back = () => { sources.draw(at); byId("source").querySelector("h2").focus(); };
  byId("source").replaceChildren(make("header", {}, make("button", { type: "button", on: back }, "← ", word("citation")),
    make("h2", { tabindex: "-1" }, nameIn(citation)), closing()), content);
  document.body.dataset.reading = "";
  byId("source").querySelector("h2").focus();
}

async function readText(citation) {
  const where = (query) => `/v1/documents/${encodeURIComponent(citation.document_id)}/text?${query}`;
  const { said } = await call("GET", where(`around=${encodeURIComponent(citation.passage_id)}`));
  const text = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": seen(citation.document) });
  let begins = said.start, ends = said.start + said.passages.length;
  text.append(...said.passages.map((passage, at) => passageOf(passage, said.passages[at - 1], citation)));
  // What stands before comes above without moving what is read.
  const more = (name, is, next) => {
    const button = make("button", { type: "button", hidden: is() ? null : "", on: () => telling(async () => {
      await next();
      button.hidden = !is();
    }) }, word(name));
    return button;
  };
  const earlier = more("previous", () => begins > 0, async () => {
    const start = Math.max(0, begins - 100), { said: page } = await call("GET", where(`start=${start}`));
    const before = page.passages.slice(0, begins - start), high = text.scrollHeight;
    text.prepend(...before.map((passage, at) => passageOf(passage, before[at - 1], citation)));
    byId("source").scrollTop += text.scrollHeight - high;
    begins = start;
  });
  const later = more("next", () => ends < said.total, async () => {
    const { said: page } = await call("GET", where(`start=${ends}`));
    text.append(...page.passages.map((passage, at) => passageOf(passage, page.passages[at - 1], citation)));
    ends = page.passages.length ? ends + page.passages.length : said.total;
  });
  read(citation, make("div", {}, earlier, said.total ? text : make("p", { class: "dim" }, word("nothing")), later));
  const mark = text.querySelector("mark");
  if (mark) centre(mark, byId("source"));
}

// A passage below its heading, with which it may begin, and page; the quote is marked where it stands.
function passageOf(passage, before, citation) {
  const place = placeOf(passage), made = make("section", {},
    passage.heading !== before?.heading && !passage.text.startsWith(passage.heading) ? make("h3", { dir: "auto", lang: "" }, seen(passage.heading)) : null,
    place && (!before || place !== placeOf(before)) ? make("p", { class: "dim" }, named(place)) : null);
  const whole = make("p", { dir: "auto", lang: "" }), { text } = passage, { before: above = "", quote } = citation;
  if (passage.passage_id === citation.passage_id) {
    const at = Math.max(0, text.indexOf(above + quote) < 0 ? text.indexOf(quote) : text.indexOf(above + quote) + above.length);
    const end = quote ? at + quote.length : text.length;
    const [begins, marked, ends] = unwrapped([text.slice(0, at), text.slice(at, end), text.slice(end)]);
    whole.append(begins, make("mark", {}, marked), ends);
  } else whole.append(...unwrapped([text]));
  made.append(whole);
  return made;
}
