// What each control does.

function view(name) {
  for (const one of ["asking", "documents"]) {
    byId(one).hidden = one !== name;
    if (one === name) byId(`show-${one}`).setAttribute("aria-current", "page");
    else byId(`show-${one}`).removeAttribute("aria-current");
  }
  tell("");
  if (name === "documents") list(false);
}

byId("language").value = language;
byId("language").addEventListener("change", (event) => {
  speak(event.target.value);
  saidAnew();
});
byId("show-asking").addEventListener("click", () => view("asking"));
byId("show-documents").addEventListener("click", () => view("documents"));
byId("question-form").addEventListener("submit", ask);
byId("question").addEventListener("keydown", (event) => {
  // 229: Safari's composition has ended by the Enter that confirms it.
  const sends = event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
  if (sends) {
    event.preventDefault();
    byId("question-form").requestSubmit();
  }
});
byId("begin-anew").addEventListener("click", anew);
byId("export").addEventListener("click", takeAlong);
byId("options").addEventListener("toggle", () => { if (!collections.size) list(false); }, { once: true });
byId("refresh").addEventListener("click", () => list(false));
byId("more").addEventListener("click", () => list(true));
byId("files").addEventListener("change", (event) => take([...event.target.files]));
dropping(byId("drop"));
addEventListener("hashchange", reopen);
speak(language);
view("asking");
reopen();
