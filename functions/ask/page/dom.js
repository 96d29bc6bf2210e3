// Elements. What documents and models say becomes text here, and nothing else: no function takes markup.

const byId = (id) => document.getElementById(id);

// An element with attributes, and children that are elements or text; `on` has what to do when it is clicked.
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute === "on") made.addEventListener("click", value);
    else if (value !== null && value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Text of others, which has a direction of its own and does not turn what stands beside it.
const theirs = (text) => make("bdi", {}, String(text));

// A block of such text that scrolls when it is long, also by keyboard.
function block(name, text, kind = "") {
  const made = make(name, { dir: "auto", class: kind || null }, String(text));
  if (String(text).length > 400) scrolls(made, text);
  return made;
}

function scrolls(element, name) {
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "region");
  element.setAttribute("aria-label", String(name).slice(0, 60));
}

// A sentence for everybody, which a screen reader says.
function tell(text) {
  byId("told").textContent = text;
}
