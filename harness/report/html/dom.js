'use strict';
// Making elements. All text goes in as text: nothing that a model, a judge or a data set wrote is ever read as HTML.

const byId = (id) => document.getElementById(id);

// Signs that move, hide or reorder others: all that is neither visible nor a plain space, but line ends and tabs.
const HIDDEN = /(?![\n\t ])[\p{C}\p{Z}]/u;
const EACH_HIDDEN = new RegExp(HIDDEN, 'gu');
const MARKED_MAX = 20000; // signs; in longer texts escapes are not marked, which would take an element each

// Such a sign as an escape, as `harness show` writes it.
function escaped(sign) {
  const code = sign.codePointAt(0).toString(16);
  return code.length <= 2 ? '\\x' + code.padStart(2, '0')
    : code.length <= 4 ? '\\u' + code.padStart(4, '0') : '\\U' + code.padStart(8, '0');
}

// A text as nodes: hidden signs become visible escapes, which look unlike the text around them.
function visible(text) {
  if (!HIDDEN.test(text)) return [document.createTextNode(text)];
  if (text.length > MARKED_MAX) return [document.createTextNode(text.replace(EACH_HIDDEN, escaped))];
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(EACH_HIDDEN)) {
    if (match.index > from) nodes.push(document.createTextNode(text.slice(from, match.index)));
    const mark = document.createElement('span');
    mark.className = 'escape';
    mark.textContent = escaped(match[0]);
    nodes.push(mark);
    from = match.index + match[0].length;
  }
  nodes.push(document.createTextNode(text.slice(from)));
  return nodes;
}

// An element. `attributes` are its attributes (false and null are left out) and its listeners (onNAME: function).
// `children` are elements, texts, and nothing (null, false, ''); lists of them are opened.
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(2)) {
    if (child === null || child === undefined || child === false || child === '') continue;
    element.append(...(child instanceof Node ? [child] : visible(String(child))));
  }
  return element;
}

// A number and its word: 1 token, 1,000 tokens.
function counted(count, word) {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

// The value of a block of JSON; null where the page holds none of that id.
function block(id) {
  const found = byId(id);
  return found === null ? null : JSON.parse(found.textContent);
}

// Call it once the whole page is there: blocks of data stand at its end, and it is used before they have come.
function whenWhole(act) {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', act, { once: true });
  else act();
}

// Where an image is: in a block of this page, else in a file beside it. Its type was told by its bytes.
function sourceOf(image) {
  const found = byId('i-' + image.sha256);
  if (found) return `data:${image.media_type};base64,${found.textContent}`;
  return `images/${image.sha256}.${image.media_type.replace('image/', '')}`;
}

const PIXELS_MAX = 50e6; // a small file may hold an image of many gigabytes, which would end the browser's tab

// Whether an image is too large to be shown unasked, or nobody could tell how large it is.
function isHuge(image) {
  return !image.width || image.width * image.height > PIXELS_MAX;
}
