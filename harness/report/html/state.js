// What is shown, as it stands in the address behind the #: filters, the order, and the rollout that is open.

const FILTERS = ['verdict', 'outcome', 'category', 'flag'];

// {q, verdict, outcome, category, flag, sort, open}: texts, empty where nothing is asked for.
function readState() {
  const found = new URLSearchParams(location.hash.slice(1));
  const state = {};
  for (const name of ['q', ...FILTERS, 'sort', 'open']) state[name] = found.get(name) || '';
  return state;
}

function hashOf(state) {
  const given = Object.entries(state).filter(([, value]) => value !== '');
  return given.length ? '#' + new URLSearchParams(given) : '';
}

// Put the state into the address; `add` makes a step that the browser's Back button undoes.
function writeState(state, add = false) {
  const address = location.pathname + location.search + hashOf(state);
  if (add) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}
