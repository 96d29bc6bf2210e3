// What was compared: answers best first, or sentences as a tree, each with its scores, and why it is out.

const TERMS = { score: "worth", rel: "s(Rel)", sup: "s(Sup)", use: "s(Use)" };
const RANKS = ["chosen", "kept", "pruned"];

// What a code means, whose word begins with its kind; one that is not known yet stays as it is.
const because = (kind, code) => (Object.hasOwn(WORDS, `${kind}_${code}`) ? word(`${kind}_${code}`) : String(code));

const inOrder = (one, other) => RANKS.indexOf(one.state) - RANKS.indexOf(other.state)
  || (other.score ?? -Infinity) - (one.score ?? -Infinity) || 0;

// One text, its state in words; of a passage that the answer cites also the citation's number.
function comparedItem(node, citations) {
  const out = node.state === "pruned";
  const said = out ? `${word("pruned")}: ${because("out", node.reason)}` : inWords(node.state);
  const terms = Object.entries(TERMS).filter(([name]) => typeof node[name] === "number").map(
    ([name, label]) => ` · ${name === "score" ? word(label) : label} ${decimal(node[name], 2)}`);
  const at = node.state === "chosen" ? citations.findIndex((one) => one.passage_id === node.passage_id) : -1;
  const source = node.passage_id === null ? word("noPassage") : named(node.document || node.passage_id);
  return make("li", {}, make("strong", { class: out ? "bad" : node.state === "chosen" ? "good" : "some" }, said),
    ...terms, " · ", source, at < 0 ? null : ` [${at + 1}]`, node.text ? make("p", {}, theirs(node.text)) : null);
}

// Each below the one that it follows, which was written before it.
function treeOf(nodes, citations) {
  const root = make("ul", { class: "plain compared" }), items = new Map();
  const below = (item) => {
    if (item.lastChild.tagName !== "UL") item.append(make("ul", { class: "plain" }));
    return item.lastChild;
  };
  for (const node of nodes) {
    const item = comparedItem(node, citations), parent = items.get(node.parent);
    (parent ? below(parent) : root).append(item);
    items.set(node.id, item);
  }
  return root;
}

function votesOf(votes) {
  const options = Object.entries(votes).sort(([, one], [, other]) => other - one);
  return options.length ? make("p", {}, `${word("votes")}:`,
    ...options.flatMap(([option, sum], at) => [at ? ", " : " ", theirs(option), ` ${decimal(sum, 2)}`])) : null;
}

// All of it, folded away; nothing where nothing was compared.
function comparedOf(scores, citations, open = null, rule = false) {
  if (!scores || !scores.nodes.length) return [];
  const grown = scores.nodes.some((node) => node.parent);
  const nodes = grown ? scores.nodes : [...scores.nodes].sort(inOrder);
  return [make("details", { open, class: rule ? "rule" : null }, make("summary", {}, `${word(grown ? "sentences" : "answers")}: ${nodes.length}`),
    make("p", { class: "dim" }, because("scale", scores.scale)),
    scores.stopped ? make("p", { class: "some" }, because("stopped", scores.stopped)) : null,
    votesOf(scores.votes), treeOf(nodes, citations))];
}
