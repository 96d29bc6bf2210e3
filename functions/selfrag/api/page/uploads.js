// Files that a person drags in or chooses, and what becomes of each.

// The kinds of files that are taken, as the server has them.
const KINDS = "kinds";
const MEGABYTE = 1024 * 1024, MOST_NAME_BYTES = 255, MOST_KEY_LETTERS = 500;
const PICTURES = /\.(avif|bmp|gif|heic|heif|ico|jpe?g|png|psd|svg|tiff?|webp)$/;

// Why a file is not taken, before anything of it is sent; "" if nothing is known against it.
function refusalOf(file) {
  const name = file.name, lower = name.toLowerCase(), [ending] = /\.[^.]+$/.exec(lower) || [""];
  if (/^(~\$|\.~lock\.)/.test(name)) return word("lockFile");
  const bytes = new TextEncoder().encode(name).length, key = `${byId("into").value.trim()}/${name}`;
  if (bytes > MOST_NAME_BYTES || key.length > MOST_KEY_LETTERS || /^\.|[\p{Cc}\u2028\u2029\ud800-\udfff]|\$\{/u.test(name)) return word("badName");
  if (PICTURES.test(lower) || file.type.startsWith("image/")) return word("pictures");
  if (!ending) return word("noEnding");
  if (!KINDS.read.includes(ending)) {
    const as = KINDS.instead[ending];
    return as === "" ? word("archives") : as ? filled("saveAs", ending, as) : filled("otherKind", ending, KINDS.read.join(" "));
  }
  if (!file.size) return word("emptyFile");
  const most = KINDS.bytes / MEGABYTE, megabytes = Math.ceil((10 * file.size) / MEGABYTE) / 10;
  return file.size > KINDS.bytes ? filled("tooLarge", megabytes, most) : "";
}

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
      refuse(row, word("failed"), problem.message);
    }
  };
}

function refuse(row, state, why) {
  row.querySelector("strong").replaceWith(make("strong", { class: "bad" }, state));
  row.append(block("p", why, "bad"));
}

// Files are sent one after the other, and a next one is while those before it are read.
async function take(files) {
  if (!byId("into").value.trim()) {
    tell("");
    await list();  // asks for the key, without which no collection is known
  }
  if (!byId("into").value.trim()) return byId("told").textContent || tell(word("needsCollection"));
  for (const file of files) {
    const refusal = refusalOf(file), showing = uploadRow(file);
    if (refusal) {
      refuse(byId("uploads").firstChild, word("notTaken"), refusal);
      tell(`${file.name}: ${refusal}`, "quiet");
      continue;
    }
    await showing(async (state) => {
      const end = await sendFile(file);
      state("working");
      showing(async () => {
        const entry = await end();
        state(entry.status);
        putEntry(entry.id, entry);
        tell(`${file.name}: ${stateWord(entry.status)}${entry.reason ? `: ${reasonOf(entry, entry.reason)}` : ""}`);
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
      openView("documents");
      if (writable) take([...event.dataTransfer.files]);
      else tell(word("readOnly"));
    });
  }
}
