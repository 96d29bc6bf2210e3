// Requests to the API that served the page, and to the bucket that it names for an upload.

const KEY = "selfrag-key";
// Behind API Gateway the page is at /STAGE or /STAGE/, elsewhere at /.
const base = location.pathname.replace(/\/+$/, "");

// The link that `selfrag serve` prints has its token, which is the key, and does not stay in the address.
function takeToken() {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) || [];
  if (!token) return;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, "", location.pathname);
}
takeToken();

class Problem extends Error {
  constructor(status, problem, after) {
    super([problem.detail, problem.hint].filter(Boolean).join(" ") || `${word("failed")} (${status})`);
    this.status = status;
    this.hint = problem.hint || "";
    this.after = after;
  }

  get wantsKey() {
    return this.status === 401 || (this.status === 403 && /x-api-key|bind your key/.test(this.hint));
  }

  get passes() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

// The JSON of a reply, and after how many seconds to ask again; asks for a key where one is wanted. With `accept` the
// reply may be a stream of `events`, whose first one has the JSON.
async function call(method, path, body, accept) {
  for (;;) {
    try {
      return await callOnce(method, path, body, accept);
    } catch (problem) {
      if (!problem.wantsKey) throw problem;
      // Another request may have been given a key meanwhile.
      if (problem.key === sessionStorage.getItem(KEY)) await askForKey(problem);
    }
  }
}

async function callOnce(method, path, body, accept) {
  const key = sessionStorage.getItem(KEY);
  const headers = { ...(key && { "x-api-key": key }), ...(body && { "Content-Type": "application/json" }), ...(accept && { Accept: accept }) };
  const options = { method, headers, body: body && JSON.stringify(body), cache: "no-store", credentials: "omit" };
  const reply = await fetch(base + path, options).catch(() => null);
  if (!reply) throw new Problem(0, { detail: word("unreachable") }, 5);
  const after = Number(reply.headers.get("Retry-After")) || 0;
  if (accept && reply.ok && reply.headers.get("Content-Type").startsWith(accept)) {
    const events = eventsOf(reply.body), first = await events.next();
    if (first.done) throw new Problem(0, { detail: word("unreachable") }, 5);
    return { said: first.value.said, after, events };
  }
  const text = await reply.text();
  let said = {};
  try {
    said = JSON.parse(text);
  } catch {
    if (reply.ok) throw new Problem(reply.status, { detail: word("failed") }, after);
  }
  if (!reply.ok) throw Object.assign(new Problem(reply.status, said, after), { key });
  return { said, after };
}

// The same request until it is answered, where waiting helps.
async function patiently(method, path, body) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call(method, path, body);
    } catch (problem) {
      if (!problem.passes || tries === 10) throw problem;
      await pause(Math.max(1, problem.after, tries));
    }
  }
}

// One dialog, however many requests wait for it; a request gets the problem if it is left without a key.
let asked = null;
function askForKey(problem) {
  asked ??= new Promise((done, fail) => {
    const dialog = byId("key-dialog");
    sessionStorage.removeItem(KEY);
    byId("key-refused").hidden = !problem.key;
    byId("key-hint").textContent = problem.hint;
    byId("key").value = dialog.returnValue = "";
    dialog.addEventListener("close", () => {
      asked = null;
      const given = byId("key").value.trim();
      byId("key").value = "";
      if (dialog.returnValue !== "go") return fail(problem);
      sessionStorage.setItem(KEY, given);
      return done();
    }, { once: true });
    dialog.showModal();
  });
  return asked;
}

// Whatever a bucket refuses, another try asks for another address.
async function send(upload, file) {
  // In the mode "same-origin" a page without referrers would say that it comes from the origin "null".
  const options = { method: upload.method, headers: upload.headers, body: file, mode: "cors", credentials: "omit" };
  // Without a reply nothing was sent: the browser asks a bucket elsewhere for leave first.
  const reply = await fetch(upload.url, options).catch(() => null);
  if (!reply?.ok) throw new Problem(reply?.status || 0, { detail: word("notSent") }, 0);
}
