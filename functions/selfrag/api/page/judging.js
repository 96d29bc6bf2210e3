// What a person does with an answer: copies it, hands it on, or says what they think of it.

// The answer with numbers for its citations, and below it what they stand for, as text.
function copied(response) {
  const answer = pieces(response).map(([text, at]) => (at === null ? text : `${text} [${at + 1}]`)).join("");
  const sources = response.citations.map((one, at) => `[${at + 1}] ${[one.document, one.heading, placeOf(one)].filter(Boolean).map(seen).join(" › ")}`);
  return [answer.trim(), sources.join("\n")].filter(Boolean).join("\n\n");
}

// All that a person has said of an answer: what is sent later takes the place of it.
function opine(response, said) {
  response.opinion = { useful: null, ...response.opinion, ...said };
  return call("POST", `/v1/questions/${encodeURIComponent(response.id)}/feedback`, response.opinion);
}

const LABELS = { full: "supported", partial: "partial", none: "unsupported", contradicted: "contradicted" };

// A person's own verdict on a claim; the one that was given before is marked.
function labelOf(response, claim, at) {
  const others = () => (response.opinion?.claims || []).filter((one) => one.claim !== at);
  const list = make("select", { class: "bare", "aria-label": `${word("right")} ${claim.claim}` }, make("option", { value: "" }, word("right")),
    ...RANK.map((one) => make("option", { value: LABELS[one] }, (one === claim.support ? "✓ " : "") + inWords(one === "partial" ? "some" : one))));
  list.value = response.opinion?.claims?.find((one) => one.claim === at)?.label || "";
  list.addEventListener("change", () => opine(response, { claims: list.value ? [...others(), { claim: at, label: list.value }] : others() })
    .then(() => tell(word("thanks")), (problem) => { list.value = ""; tell(problem.message); }));
  return list;
}

function feedbackOf(response) {
  const box = make("div", { class: "feedback" });
  const give = (said) => carry(box, async () => {
    await opine(response, said);
    box.replaceChildren(make("p", { class: "good" }, word("thanks")));
    box.tabIndex = -1;
    box.focus();
    tell(word("thanks"), "quiet");
  });
  const field = make("textarea", { rows: "2", maxlength: "2000", dir: "auto" });
  const save = () => give({ useful: false, answer: field.value.trim() });
  const better = make("div", { hidden: "" }, make("label", {}, make("span", {}, word("better")), field),
    make("button", { type: "button", on: save }, word("save")));
  const refuse = () => { better.hidden = false; field.focus(); };
  const act = (name, on) => make("button", { type: "button", class: "bare", on }, word(name));
  const write = (text, name) => navigator.clipboard.writeText(text).then(() => tell(word(name)), () => tell(word("failed")));
  const link = () => new URL(`#${response.id}`, location.href).href;
  box.append(make("p", { class: "actions" },
    ...(navigator.clipboard ? [act("copy", () => write(copied(response), "copied")), act("share", () => write(link(), "linkCopied"))]
      : [make("a", { href: `#${response.id}` }, word("link"))]),
    act("useful", () => give({ useful: true })), act("useless", refuse)), better);
  return box;
}
