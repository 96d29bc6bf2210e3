// A question's events, of a reply that streams them. The browser's own client of such streams could send no question.

// Each with its name and what it says; what is cut off ends them.
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const [, name, said] = /^event: (\w+)\ndata: (.*)$/.exec(part) || [];
      if (name) yield { name, said: JSON.parse(said) };
    }
  }
}
