// Files that a person drags in or chooses, and what becomes of each.

async function sendFile(file) {
  const key = `${byId("into").value.trim()}/${file.name}`;
  const { said } = await call("POST", "/v1/documents", { key, size: file.size });
  const { said: before } = await lookAt(said);
  await send(said.upload, file);
  // A bucket elsewhere tells of a file some seconds later: until then there is what was there, also if it is the same.
  const enough = ({ status, updated_at }, tries) =>
    ["ready", "failed"].includes(status) && (updated_at !== before.updated_at || tries > 20);
  return () => looked(said, enough);
}

function uploadRow(file) {
  const row = make("li", {}, named(file.name), " · ", stateOf("sending"));
  const state = (status) => row.querySelector("strong").replaceWith(stateOf(status));
  byId("uploads").prepend(row);
  return async (work) => {
    try {
      await work(state);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      row.append(block("p", problem.message, "bad"));
      row.querySelector("strong").replaceWith(make("strong", { class: "bad" }, word("failed")));
    }
  };
}

// Files are sent one after the other, and a next one is while those before it are read.
async function take(files) {
  if (!byId("into").value.trim()) return tell(word("needsCollection"));
  for (const file of files) {
    const showing = uploadRow(file);
    await showing(async (state) => {
      const end = await sendFile(file);
      state("working");
      showing(async () => {
        const entry = await end();
        state(entry.status);
        putRow(entry);
        tell(`${file.name}: ${stateWord(entry.status)}${entry.reason ? `: ${entry.reason}` : ""}`);
      });
    });
  }
  return undefined;
}

// Files may be dropped anywhere: beside a zone they would be opened in the place of the page.
function dropping(zone) {
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      byId("drop").classList.toggle("over", kind === "dragover" || kind === "dragenter");
      if (kind !== "drop" || !event.dataTransfer.files.length) return;
      view("documents");
      if (writable) take([...event.dataTransfer.files]);
      else tell(word("readOnly"));
    });
  }
}
