// The questions that were asked on this device: what, when, under which id, and in which conversation (the id of its
// first question). Answers stay with the API.

const ASKED = "selfrag-history", MOST_ASKED = 500;

function askedBefore() {
  try {
    const kept = JSON.parse(localStorage.getItem(ASKED) || "[]");
    return Array.isArray(kept) ? kept.filter((one) => one && ID.test(one.id) && typeof one.question === "string") : [];
  } catch {
    return [];
  }
}

function keepAsked(asked) {
  // A browser that keeps nothing for a page has no history of it.
  try {
    localStorage.setItem(ASKED, JSON.stringify(asked.slice(0, MOST_ASKED)));
  } catch { /* no room, or none is given */ }
}

function remember(question, id) {
  if (!question) return;
  const day = new Date().toISOString().slice(0, 10), before = askedBefore(), first = turns[0].response.id;
  if (before.some((one) => one.id === id)) return;
  keepAsked([{ question, id, day, thread: before.find((one) => one.id === first)?.thread || first }, ...before]);
}

// The conversations, the last one first, each with its questions in the order in which they were asked.
function conversations() {
  const threads = new Map();
  for (const one of askedBefore()) {
    const thread = one.thread || one.id;
    threads.set(thread, [one, ...(threads.get(thread) || [])]);
  }
  return [...threads.values()];
}

// A question as a link to its answer, which opens the conversation up to it.
function linkTo(asked, at) {
  const kept = asked.slice(0, at + 1).map(({ question, id }) => ({ question, id }));
  const open = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    navigate(`#${asked[at].id}`, { kept });
    reopen();
  };
  return make("a", { href: `#${asked[at].id}`, on: open }, theirs(asked[at].question));
}

// The list, newest first, of the conversations that hold the text that is looked for.
function recall() {
  const looked = byId("find-history").value.trim().toLowerCase(), all = conversations();
  const found = all.filter((asked) => asked.some((one) => one.question.toLowerCase().includes(looked)));
  byId("asked-before").replaceChildren(...found.map((asked) => {
    const forget = make("button", { type: "button", "aria-label": `${word("remove")} ${asked[0].question}`, on: () => {
      keepAsked(askedBefore().filter((other) => !asked.some((one) => one.id === other.id)));
      recall();
      byId("find-history").focus();
    } }, "✕");
    const later = asked.slice(1).map((_, at) => make("li", {}, linkTo(asked, at + 1)));
    return make("li", {}, linkTo(asked, 0), make("span", { class: "dim" }, dayOf(asked.at(-1).day)), forget,
      later.length ? make("ul", { class: "plain" }, ...later) : null);
  }));
  if (!found.length) byId("asked-before").append(make("li", { class: "dim" }, word("nothing")));
  byId("forget").hidden = !all.length;
}

const dayOf = (day) => (/^\d{4}-\d\d-\d\d/.test(day) ? new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" })
  .format(new Date(`${day.slice(0, 10)}T00:00:00Z`)) : "");

// The second click forgets them.
function forgetAll() {
  const button = byId("forget");
  if (button.textContent !== word("sure")) {
    button.textContent = word("sure");
    return;
  }
  button.textContent = word("forget");
  keepAsked([]);
  recall();
}
