// A conversation as Markdown, in which what others said is text wherever it is read: no markup, no picture, no link.

// A backslash takes its meaning from any ASCII punctuation (CommonMark 0.31, 2.4). These have one anywhere in a line, in
// GitHub's Markdown and in its addresses too; a dash or a number only where the line begins.
const INLINE = /[\\`*_{}[\]<>()#|!~&$^@]|[:/](?=\/)|(?<=www)\./gi;
const AT_START = /^([-+=:]|\d+(?=[.)]))/;
const CONTROLS = /[^\P{Cc}\n\r\t]/gu;

function literal(line) {
  const escaped = line.replace(/^[ \t]+|[ \t]+$/g, "").replace(INLINE, "\\$&");
  return escaped.replace(AT_START, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

// Lines remain lines, and empty ones between paragraphs.
function paragraphs(text) {
  const lines = String(text).replace(CONTROLS, "\ufffd").split(/\r\n|\r|\n/).map(literal);
  return lines.join("\n").trim().replace(/([^\n])\n(?=[^\n])/g, "$1\\\n");
}

const oneLine = (text) => paragraphs(String(text).replace(/[ \t\r\n]+/g, " "));

function asItem(citation, at) {
  const number = `${at + 1}. `, place = placeOf(citation);
  const where = [citation.document, citation.heading, place].filter(Boolean).map((name) => oneLine(seen(name)));
  return `${number}${where.join(" › ")}\n\n${" ".repeat(number.length)}> ${oneLine(citation.quote)}`;
}

function markdown(conversation) {
  return `${conversation.map(({ question, response }) => [
    `## ${oneLine(asIs(question, response.id))}`,
    paragraphs(pieces(response).map(([text, at]) => (at === null ? text : `${text} [${at + 1}]`)).join("")),
    ...response.citations.map(asItem),
    ...(response.notice ? [oneLine(word("noModel"))] : []),
    oneLine(`${inWords(response.status)} · ${response.id} · ${dollars(response.usage.cost_usd)}`),
  ].join("\n\n")).join("\n\n")}\n`;
}

function takeAlong() {
  const url = URL.createObjectURL(new Blob([markdown(turns)], { type: "text/markdown" }));
  make("a", { href: url, download: "conversation.md" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
