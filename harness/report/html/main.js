// What the person does: keys, clicks, the address.

function apply() {
  const state = readState();
  applyTable(state);
  const entry = entryOf(state.open);
  const beyond = state.open === 'first' ? INDEX.following : state.open === 'last' ? INDEX.previous : '';
  if (!entry && beyond) location.replace(beyond + hashOf(state)); // no rollout of this page fits
  else if (entry && INDEX.pages.length) location.replace(INDEX.pages[entry.number] + hashOf(state));
  else if (entry) {
    if (state.open !== nameOf(entry)) writeState({ ...state, open: nameOf(entry) });
    show(entry);
  }
  else if (byId('rollout').open) byId('rollout').close();
  for (const link of document.querySelectorAll('a[data-keep]')) {
    link.href = link.getAttribute('href').split('#')[0] + hashOf({ ...state, open: '' });
  }
}

// TASK.REPEAT; or `first` or `last` of those that fit, by which one page sends to the next.
function entryOf(open) {
  if (open === 'first') return shown[0];
  if (open === 'last') return shown[shown.length - 1];
  return entries.find((entry) => nameOf(entry) === open);
}

function nameOf(entry) {
  return `${entry.task}.${entry.repeat}`;
}

function change(changes, add = false) {
  writeState({ ...readState(), ...changes }, add);
  apply();
}

function open(entry, add) {
  const state = { ...readState(), open: nameOf(entry) };
  if (INDEX.pages.length) location.href = INDEX.pages[entry.number] + hashOf(state);
  else change(state, add);
}

// To the next or the previous rollout of those that fit, on another page too.
function walk(by) {
  const found = neighbour(by);
  if (found === null) return;
  if (typeof found === 'string') location.href = found + hashOf({ ...readState(), open: by > 0 ? 'first' : 'last' });
  else open(found, false);
}

function typing(target) {
  return target.closest('input, select, textarea') !== null;
}

const KEYS_OF_ROLLOUT = { j: 1, k: -1, ArrowRight: 1, ArrowLeft: -1 };
const KEYS_OF_TABLE = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (typing(event.target)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const modal = document.querySelector('dialog:modal');
  const keys = modal === null ? KEYS_OF_TABLE : modal.id === 'rollout' && !byId('picture').open ? KEYS_OF_ROLLOUT : {};
  const inTable = event.target.closest('#rollouts') !== null;
  if (event.key === '?') {
    if (!byId('help').open) byId('help').showModal();
  } else if (event.key === '/' && modal === null) {
    byId('search').focus();
    byId('search').select();
  } else if (event.key in keys && (modal !== null || inTable || event.key.length === 1)) {
    if (modal === null) focusRow(keys[event.key]);
    else walk(keys[event.key]);
  } else return;
  event.preventDefault();
}

// Right in the middle of typing nothing is searched; the talk of hundreds of rollouts takes a moment the first time.
let waiting = 0;
byId('search').addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => change({ q: byId('search').value.trim() ? byId('search').value : '' }), 120);
});
document.querySelector('.filters').addEventListener('submit', (event) => event.preventDefault());
for (const name of FILTERS) {
  const select = document.querySelector(`select[name=${name}]`);
  if (select) select.addEventListener('change', () => change({ [name]: select.value }));
}
for (const id of ['clear', 'clear-too']) {
  byId(id).addEventListener('click', () => change({ q: '', verdict: '', outcome: '', category: '', flag: '' }));
}
byId('more').addEventListener('click', () => {
  const next = shown[limit];
  if (reveal(next)) next.row.querySelector('a').focus();
});
for (const button of document.querySelectorAll('th button[data-sort]')) {
  button.addEventListener('click', () => change({ sort: nextSort(button, readState().sort) }));
}
body.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0 || String(getSelection())) return;
  const row = event.target.closest('tr');
  event.preventDefault();
  row.querySelector('a').focus();
  open(entries[row.dataset.number], true);
});
for (const link of document.querySelectorAll('a[data-filter]')) {
  link.addEventListener('click', () => byId('list').scrollIntoView());
}
byId('rollout').addEventListener('close', () => {
  const entry = opened;
  opened = null;
  byId('rollout').replaceChildren();
  if (readState().open) writeState({ ...readState(), open: '' });
  const row = entry && reveal(entry) ? entry.row.querySelector('a') : cameFrom;
  if (row) row.focus();
});
byId('rollout').addEventListener('click', (event) => {
  if (event.target === byId('rollout')) byId('rollout').close(); // beside it
});
byId('picture').addEventListener('click', () => byId('picture').close());
byId('help-button').addEventListener('click', () => byId('help').showModal());
document.addEventListener('keydown', onKey);
window.addEventListener('hashchange', apply);

// The theme is kept where the browser allows a page to keep something.
const THEMES = ['system', 'light', 'dark'];
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  byId('theme').textContent = `Theme: ${name}`;
}
function keptTheme() {
  try { return localStorage.getItem('theme'); } catch (error) { return null; }
}
byId('theme').addEventListener('click', () => {
  const name = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  setTheme(name);
  try { localStorage.setItem('theme', name); } catch (error) { /* then it holds for this page alone */ }
});
setTheme(THEMES.includes(keptTheme()) ? keptTheme() : 'system');

apply();
// Whoever was sent an address of some rollouts is to see them, not what stands above.
const asked = readState();
if (!asked.open && ['q', ...FILTERS].some((name) => asked[name])) byId('list').scrollIntoView({ behavior: 'instant' });
whenWhole(showThumbnails);
