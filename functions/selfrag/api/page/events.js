// A question's events where the server streams them. The browser's own client of such streams could send no key.

let streams = true;

// The events of a reply's body, each with its `event`, `id` and `data`.
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    // What is cut off is heard of with the next try.
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const lines = part.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 1).trim()]);
      const event = Object.fromEntries(lines);
      if (event.data) yield event;
    }
  }
}

async function opened(id, last, stop) {
  const key = sessionStorage.getItem(KEY);
  const headers = { Accept: "text/event-stream", ...(key && { "x-api-key": key }), ...(last && { "Last-Event-ID": last }) };
  const place = `${base}/v1/questions/${encodeURIComponent(id)}/events`;
  return fetch(place, { headers, cache: "no-store", credentials: "omit", signal: stop }).catch(() => null);
}

// What a question came to (`said`), if that was told; `show` gets each view of it before. `missing` is a 404.
async function listen(id, show, stop) {
  for (let last = "", tries = 0; streams && tries < 3 && !stop.aborted; tries += 1) {
    if (tries) await pause(1);
    const reply = await opened(id, last, stop);
    if (reply && !/^text\/event-stream/.test(reply.headers.get("Content-Type"))) {
      // A deployment without `stream_events` has no such path, which only a look tells from a question that is not there.
      return { missing: reply.status === 404 };
    }
    for await (const event of reply ? eventsOf(reply.body) : []) {
      [last, tries] = [event.id, 0];
      if (event.event === "problem") return {};
      const said = JSON.parse(event.data);
      if (event.event !== "progress") return { said };
      show(said);
    }
  }
  return {};
}
