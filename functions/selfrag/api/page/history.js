// The questions that were asked on this device: what, when, and under which id. Answers stay with the API.

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
  const day = new Date().toISOString().slice(0, 10), before = askedBefore();
  const known = before.find((one) => one.id === id);
  keepAsked([known || { question, id, day }, ...before.filter((one) => one.id !== id)]);
}

// The list, newest first, of what holds the text that is looked for.
function recall() {
  const looked = byId("find-history").value.trim().toLowerCase(), all = askedBefore();
  const found = all.filter((one) => one.question.toLowerCase().includes(looked));
  byId("asked-before").replaceChildren(...found.map((one) => {
    const forget = make("button", { type: "button", "aria-label": `${word("remove")} ${one.question}`, on: () => {
      keepAsked(askedBefore().filter((other) => other.id !== one.id));
      recall();
      byId("find-history").focus();
    } }, "✕");
    return make("li", {}, make("a", { href: `#${one.id}` }, theirs(one.question)), make("span", { class: "dim" }, dayOf(one.day)), forget);
  }));
  if (!found.length) byId("asked-before").append(make("li", { class: "dim" }, word("noHistory")));
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
