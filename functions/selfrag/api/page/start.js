// What each control does.

function view(name) {
  for (const one of ["asking", "history", "documents"]) {
    byId(one).hidden = one !== name;
    const shows = byId(`show-${one}`);
    if (one === name) shows?.setAttribute("aria-current", "page");
    else shows?.removeAttribute("aria-current");
  }
  if (name !== "asking") closeSource();
  tell("");
  if (name === "documents") list(false);
  if (name === "history") recall();
}

// Keys that stand for a control, where no text is being written and no dialog is open.
const SHORTCUTS = {
  "/": () => { view("asking"); byId("question").focus(); },
  j: () => turnSource(1),
  k: () => turnSource(-1),
  n: anew,
  "?": () => byId("shortcuts").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (closeSource()) event.preventDefault();
    return;
  }
  const writing = event.target.closest?.("input, textarea, select, dialog[open]");
  if (writing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(SHORTCUTS, event.key)) return;
  event.preventDefault();
  SHORTCUTS[event.key]();
});

byId("language").value = language;
byId("language").addEventListener("change", (event) => {
  speak(event.target.value);
  saidAnew();
});
byId("home").addEventListener("click", () => view("asking"));
byId("show-history").addEventListener("click", () => view("history"));
byId("show-documents").addEventListener("click", () => view("documents"));
byId("question-form").addEventListener("submit", ask);
byId("question").addEventListener("input", grow);
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
byId("forget").addEventListener("click", forgetAll);
byId("find-history").addEventListener("input", recall);
byId("find-documents").addEventListener("input", sift);
byId("options").addEventListener("toggle", () => { if (!collections.size) list(false); }, { once: true });
byId("refresh").addEventListener("click", () => list(false));
byId("more").addEventListener("click", () => list(true));
byId("files").addEventListener("change", (event) => take([...event.target.files]));
dropping(document.body);
addEventListener("hashchange", reopen);
speak(language);
view("asking");
welcome();
look();
reopen();
grow();
// A turn fills what the field at the bottom leaves of the window.
new ResizeObserver(([{ target }]) => document.body.style.setProperty("--form", `${target.offsetHeight}px`)).observe(byId("question-form"));
byId("question").focus();
