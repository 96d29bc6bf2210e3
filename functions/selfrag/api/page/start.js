// What each control does.

// Show a view, of documents with a folder.
function view(name, folder = null) {
  for (const one of ["asking", "history", "documents"]) {
    byId(one).hidden = one !== name;
    const shows = byId(`show-${one}`);
    if (one === name) shows?.setAttribute("aria-current", "page");
    else shows?.removeAttribute("aria-current");
  }
  if (name !== "asking") closeSource();
  tell("");
  if (name !== "asking") titled(word(name));
  else titled(turns.at(-1)?.question || "");
  if (name === "documents") {
    openFolder = folder;
    list();
  }
  if (name === "history") recall();
}

// Keys that stand for a control, where no text is being written and no dialog is open.
const SHORTCUTS = {
  "/": () => { openConversation(); byId("question").focus(); },
  j: () => turnSource(1),
  k: () => turnSource(-1),
  n: anew,
  "?": () => byId("shortcuts").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (closeSource(true)) event.preventDefault();
    else openConversation();
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
byId("home").addEventListener("click", openConversation);
byId("show-history").addEventListener("click", () => openView("history"));
byId("show-documents").addEventListener("click", () => openView("documents"));
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
byId("find-scope").addEventListener("input", drawScope);
byId("options").addEventListener("toggle", () => { if (!collections.size) list(); }, { once: true });
byId("refresh").addEventListener("click", list);
byId("files").accept = KINDS.read.join();
byId("files").addEventListener("change", (event) => take([...event.target.files]));
dropping(document.body);
addEventListener("popstate", reopen);
addEventListener("online", reach);
speak(language);
welcome();
look();
reopen();
grow();
// A turn fills what the field at the bottom leaves of the window.
new ResizeObserver(([{ target }]) => document.body.style.setProperty("--form", `${target.offsetHeight}px`)).observe(byId("question-form"));
byId("question").focus();
