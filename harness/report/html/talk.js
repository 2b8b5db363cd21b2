// A rollout's talk: what the model was given, what it said, what its tools returned.

const CUT = 4000; // characters of a text that are shown until all is asked for
const CUT_LINES = { words: 120, code: 40 };

// A text of any length; of a long one the beginning, and a button for the rest.
function long(text, className = 'words') {
  const most = CUT_LINES[className] || CUT_LINES.words;
  const lines = text.split('\n', most + 1);
  if (text.length <= CUT && lines.length <= most) return el('pre', { class: className }, text);
  const pre = el('pre', { class: className }, lines.slice(0, most).join('\n').slice(0, CUT));
  const button = el('button', { type: 'button', class: 'more', onclick: () => {
    pre.replaceChildren(...visible(text));
    pre.tabIndex = -1;
    pre.focus();
    button.remove();
  } }, `Show all ${counted(text.length, 'character')}`);
  return el('div', {}, pre, button);
}

// An image that a click or Enter enlarges; a huge one is made only when that is asked for.
function picture(image, text) {
  const size = image.width ? `${image.width} × ${image.height}` : 'size unknown';
  const about = `${image.media_type}, ${size}, ${counted(image.bytes, 'byte')}`;
  const figure = el('figure', {}, isHuge(image)
    ? el('button', { type: 'button', onclick: () => figure.firstChild.replaceWith(enlargeable(image, text)) },
      image.width ? 'Show this huge image' : 'Show this image of unknown size')
    : enlargeable(image, text), el('figcaption', {}, about));
  return figure;
}

function enlargeable(image, text) {
  const small = el('img', { alt: text, src: sourceOf(image), width: image.width, height: image.height });
  const open = () => {
    byId('picture').firstElementChild.replaceChildren(el('img', { alt: text, src: small.src }));
    byId('picture').showModal();
  };
  return el('button', { type: 'button', class: 'image', 'aria-label': `${text}: enlarge`, onclick: open }, small);
}

function parts(turn, text, className) {
  return turn.parts.map((part) => 'image' in part ? picture(part.image, text) : long(part.text, className));
}

// Arguments of a tool's call by name; as they came where they are no object.
function argumentsOf(call) {
  let value = null;
  try { value = JSON.parse(call.arguments); } catch (error) { /* a model may write anything */ }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return long(call.arguments, 'code');
  const names = Object.keys(value);
  return names.map((name) => {
    const text = typeof value[name] === 'string' ? value[name] : JSON.stringify(value[name]);
    return el('div', { class: 'argument' }, el('span', { class: 'name' }, name), long(text, 'code'));
  });
}

function about(turn) {
  const usage = turn.usage || {};
  const count = (value, way) => value ? `${counted(value, 'token')} ${way}` : '';
  const found = [`${turn.seconds.toFixed(1)} s`, turn.finish_reason || 'no finish reason',
    count(usage.prompt, 'in'), count(usage.completion, 'out'), turn.error ? `error: ${turn.error.slice(0, 200)}` : ''];
  return found.filter(Boolean).join(' · ');
}

// What one answer of the model holds. One that neither speaks nor calls a tool says so, rather than nothing.
function said(turn) {
  const silent = turn.parts && !turn.tool_calls.length && !turn.parts.some((part) => 'image' in part || part.text.trim());
  return [
    turn.reasoning && el('div', { class: 'thinking' }, el('h5', {}, 'Thinking'), long(turn.reasoning)),
    silent ? quiet('(no text)') : turn.parts && parts(turn, 'Image of the model', 'words'),
    turn.tool_calls.map((call) => el('div', { class: 'call' },
      el('h5', {}, 'Calls ', el('code', {}, call.name.slice(0, 80))), argumentsOf(call))),
  ];
}

function folded(summary, content, className = '') {
  return el('details', { class: className }, el('summary', {}, summary), content);
}

// What the model was given before its first word stands folded: the puzzle is shown beside it.
function given(turn) {
  const length = turn.parts.reduce((sum, part) => sum + (part.text || '').length, 0);
  const images = turn.parts.filter((part) => 'image' in part).length;
  const what = turn.role === 'system' ? 'The agent’s own instructions'
    : `The task as it was put${images ? `, with ${images === 1 ? 'an image' : `${images} images`}` : ''}`;
  const content = parts(turn, 'Image that the model was given', 'words');
  return el('li', { class: 'turn given' }, folded(`${what}: ${counted(length, 'character')}`, content));
}

// One turn as an item of the list.
function shownTurn(turn) {
  if (turn.role === 'assistant') {
    const heading = el('h4', {}, 'Model ', el('small', {}, `call ${turn.call} · ${about(turn)}`));
    return el('li', { class: 'turn model' }, heading, said(turn));
  }
  if (turn.role === 'tool') {
    const heading = el('h4', {}, 'Output of ', el('code', {}, turn.tool.slice(0, 80) || 'a tool'));
    return el('li', { class: 'turn tool' }, heading, parts(turn, 'Image', 'code'));
  }
  return el('li', { class: 'turn user' }, el('h4', {}, 'Given'), parts(turn, 'Image that a tool returned', 'words'));
}

// A call that somebody in the sandbox made off the chain: it is no part of the talk.
function offChain(call) {
  const answer = call.body === null ? [long(call.text), said({ ...call, parts: null })] : long(call.body, 'code');
  return el('li', { class: 'turn off' },
    el('h4', {}, 'Off the chain ', el('small', {}, `call ${call.call} · HTTP ${call.status} · ${about(call)}`)),
    folded('Its request', long(call.request, 'code')), answer);
}
