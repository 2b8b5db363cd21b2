// The table of rollouts: filtering, searching, sorting. The rows were written by the server side of things.

const INDEX = block('index');
const entries = INDEX.entries;
const body = byId('rollouts').tBodies[0];
entries.forEach((entry, number) => {
  entry.number = number;
  entry.row = body.rows[number];
  entry.row.dataset.number = number;
});

const STEP = 500; // rows that are laid out at once: a browser takes seconds for thousands
let shown = entries; // those that fit, in the order in which they stand
let limit = STEP; // so many of them have their row shown

const inOrder = new Intl.Collator('en', { numeric: true }).compare;
const SORTS = new Set([...document.querySelectorAll('th button[data-sort]')].map((button) => button.dataset.sort));

// Of two entries which comes first; what has no value is last in whichever order.
function compared(name, down) {
  const key = name === 'flags' ? (entry) => entry.flags.length
    : (entry) => entry[name === 'subtype' ? 'category' : name];
  return (one, other) => {
    const a = key(one), b = key(other);
    if (a === null || b === null) return (a === null) - (b === null) || one.number - other.number;
    const order = typeof a === 'number' ? a - b : inOrder(a, b);
    return (down ? -order : order) || one.number - other.number;
  };
}

// What a search looks through, in small letters: the line, the question, and what was said and done.
function searched(entry) {
  if (entry.searched !== undefined) return entry.searched;
  const talk = [];
  const rollout = block('r-' + entry.number);
  const turns = rollout ? rollout.turns : [];
  const first = turns.findIndex((turn) => turn.role === 'assistant');
  for (const turn of first < 0 ? [] : turns.slice(first)) { // what stands before is nearly the same in all
    for (const part of turn.parts) if (part.text) talk.push(part.text);
    if (turn.reasoning) talk.push(turn.reasoning);
    for (const call of turn.tool_calls || []) talk.push(call.name, call.arguments);
  }
  const line = [entry.task, entry.category, entry.outcome, entry.verdict, entry.answer || '', entry.gold];
  const text = [...line, ...entry.flags, ...entry.texts, ...talk].join('\n').toLowerCase();
  if (rollout || document.readyState !== 'loading') entry.searched = text;
  return text;
}

// The function that says whether an entry fits; each word of the search has to be found.
function fitting(state) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = state.verdict === 'not-right' ? INDEX.not_right : [state.verdict];
  const within = (category) => category === state.category || category.startsWith(state.category + ' / ');
  return (entry) =>
    (!state.verdict || verdicts.includes(entry.verdict)) &&
    (!state.outcome || entry.outcome === state.outcome) &&
    (!state.category || within(entry.category)) &&
    (!state.flag || entry.flags.includes(state.flag)) &&
    words.every((word) => searched(entry).includes(word));
}

// Show the rows that fit, in the order that is asked for.
function applyTable(state) {
  const fits = fitting(state);
  const down = state.sort.startsWith('-');
  const name = state.sort.replace('-', '');
  const sorted = SORTS.has(name) ? [...entries].sort(compared(name, down)) : entries;
  shown = sorted.filter(fits);
  limit = STEP;
  if (sorted.some((entry, place) => body.rows[place] !== entry.row)) body.append(...sorted.map((entry) => entry.row));
  for (const button of document.querySelectorAll('th button[data-sort]')) {
    const cell = button.closest('th');
    if (button.dataset.sort === name) cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    else cell.removeAttribute('aria-sort');
  }
  showRows();
  byId('none').hidden = shown.length > 0;
  byId('rollouts').classList.toggle('empty', shown.length === 0);
  const count = `${shown.length} of ${counted(entries.length, 'rollout')}`;
  if (byId('count').textContent !== count) byId('count').textContent = count;
  byId('search').value = state.q;
  for (const filter of FILTERS) {
    const select = document.querySelector(`select[name=${filter}]`);
    if (select) select.value = state[filter];
  }
}

// Show the rows of those that fit, up to the limit.
function showRows() {
  const rows = new Set(shown.slice(0, limit));
  for (const entry of entries) if (entry.row.hidden === rows.has(entry)) entry.row.hidden = !rows.has(entry);
  byId('more').hidden = shown.length <= limit;
  byId('more').textContent = `Show ${Math.min(STEP, shown.length - limit)} more of ${shown.length}`;
}

// Show one's row, however far down it is; false where it doesn't fit.
function reveal(entry) {
  const place = shown.indexOf(entry);
  if (place >= limit) {
    limit = (Math.floor(place / STEP) + 1) * STEP;
    showRows();
  }
  return place >= 0;
}

// The order after a click: the way a column usually is wanted, then the other, then the run's own.
function nextSort(button, sort) {
  const name = button.dataset.sort;
  const ways = button.dataset.first === 'down' ? ['-' + name, name, ''] : [name, '-' + name, ''];
  return ways[(ways.indexOf(sort) + 1) % 3];
}

// Move the focus by so many rows; from nowhere, to the first.
function focusRow(by) {
  const here = shown.findIndex((entry) => entry.row.contains(document.activeElement));
  const place = here < 0 ? 0 : Math.min(Math.max(here + by, 0), shown.length - 1);
  if (shown[place] && reveal(shown[place])) shown[place].row.querySelector('a').focus();
}

const EAGER = 60; // rows whose pictures are made at once, so that paper has them too

// Small pictures of the puzzles. Of many rows each is made when it comes near: else the page would not open for long.
function showThumbnails() {
  const fill = (place) => {
    const { picture } = entries[place.closest('tr').dataset.number];
    if (picture && !isHuge(picture)) place.append(el('img', { alt: '', src: sourceOf(picture), decoding: 'async' }));
  };
  const places = body.querySelectorAll('.thumb');
  if (places.length <= EAGER) {
    places.forEach(fill);
    return;
  }
  const observer = new IntersectionObserver((found) => {
    for (const { target } of found.filter((one) => one.isIntersecting)) {
      observer.unobserve(target);
      fill(target);
    }
  }, { rootMargin: '300px' });
  for (const place of places) observer.observe(place);
}
