// What a person does with an answer: says what they think of it, in one click and a field.

function feedbackOf(response) {
  const path = `/v1/questions/${encodeURIComponent(response.id)}/feedback`;
  const box = make("div", { class: "feedback" });
  const give = (said) => carry(box, async () => {
    await call("POST", path, said);
    box.replaceChildren(make("p", { class: "good" }, word("thanks")));
    box.tabIndex = -1;
    box.focus();
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
