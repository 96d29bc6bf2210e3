// What a person does with an answer: says what they think of it, and takes the conversation along.

function feedbackOf(response) {
  const path = `/v1/questions/${encodeURIComponent(response.id)}/feedback`;
  const box = make("div", { class: "feedback" });
  const give = (said) => carry(box, async () => {
    await call("POST", path, said);
    box.replaceChildren(make("p", { class: "good" }, word("thanks")));
    tell(word("thanks"));
  });
  const field = make("textarea", { rows: "2", maxlength: "2000", dir: "auto" });
  const save = () => give({ useful: false, answer: field.value.trim() });
  const better = make("div", { hidden: "" }, make("label", {}, make("span", {}, word("better")), field),
    make("button", { type: "button", on: save }, word("save")));
  const refuse = () => { better.hidden = false; field.focus(); };
  box.append(make("p", { class: "actions" },
    make("button", { type: "button", on: () => give({ useful: true }) }, word("useful")),
    make("button", { type: "button", on: refuse }, word("useless"))), better);
  return box;
}

// Text that Markdown takes for nothing else: no picture is fetched and no link made where it is read.
const plain = (text) => String(text).replace(/[\\`*_{}[\]<>()#|!~&]/g, "\\$&");

function markdown(conversation) {
  return conversation.map(({ question, response }) => [
    `## ${plain(question).replace(/\s+/g, " ")}`, plain(response.answer),
    ...response.citations.map((one, at) => {
      const place = one.locator || (one.page ? `${word("page")} ${one.page}` : "");
      const where = [one.document, one.heading, place].filter(Boolean).map(plain).join(" › ");
      return `${at + 1}. ${where}\n\n   > ${plain(one.quote).replace(/\s+/g, " ")}`;
    }),
    `${inWords(response.status)} · ${response.id} · ${dollars(response.usage.cost_usd)}`,
  ].join("\n\n")).join("\n\n") + "\n";
}

function takeAlong() {
  const url = URL.createObjectURL(new Blob([markdown(turns)], { type: "text/markdown" }));
  make("a", { href: url, download: "conversation.md" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
