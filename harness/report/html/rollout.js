// One rollout, made when it is opened.

const WORDS = {
  right: 'right', wrong: 'wrong', 'no-answer': 'no answer', partial: 'partly right', masked: 'masked: no valid measurement, in no mean',
};

const NEVER = 'It was never played to an end.';

let opened = null; // the entry whose rollout is open
let cameFrom = null; // what had the focus before

function part(name, heading, ...content) {
  return el('section', { 'data-part': name, class: name }, heading && el('h3', {}, heading), ...content);
}

function quiet(...content) {
  return el('p', { class: 'quiet' }, ...content);
}

function pairs(rows) {
  const row = ([name, text]) => el('div', {}, el('dt', {}, name), el('dd', {}, long(text, 'plain')));
  return el('dl', { class: 'pairs' }, rows.map(row));
}

// The images that the model was given before its first word.
function puzzle(rollout) {
  const first = rollout.turns.findIndex((turn) => turn.role === 'assistant');
  const before = first < 0 ? rollout.turns : rollout.turns.slice(0, first);
  const images = before.flatMap((turn) => turn.parts).filter((found) => 'image' in found);
  return part('puzzle', 'Puzzle', images.map((found) => picture(found.image, 'The puzzle')), long(rollout.question));
}

function verdict(entry, rollout) {
  const reward = entry.reward === null ? '' : `reward ${entry.reward} · `;
  const judged = rollout.verdict ? `${rollout.judge_model || 'the rule'} says: ${rollout.verdict}` : '';
  return part('verdict', 'Verdict',
    el('p', {}, el('span', { class: `mark ${entry.verdict}` }, WORDS[entry.verdict])),
    quiet([reward + entry.outcome, judged].filter(Boolean).join(' · ')));
}

// Why there is no answer says the outcome; that there is none, which is the score's reason then, the verdict says.
function reason(entry, rollout) {
  const outcome = rollout.outcome && rollout.outcome.reason;
  const graded = entry.verdict === 'no-answer' && outcome ? [] : [rollout.reason, rollout.failure_reason];
  const found = new Set([...graded, outcome].filter(Boolean));
  return part('reason', 'Reason', found.size ? [...found].map((text) => long(text)) : quiet('none was given'));
}

function answer(entry, rollout) {
  const none = rollout.answer ? 'none is marked in what it said last' : 'none';
  const shownAnswer = entry.answer === null ? quiet(none) : long(entry.answer, 'large');
  return part('answer', 'Answer', shownAnswer);
}

function attempts(rollout) {
  if (rollout.attempts.length < 2) return null;
  const lines = rollout.attempts.map((one) => {
    const state = one.counts ? 'counts' : one.masked ? 'masked' : 'measured';
    const here = one.name === rollout.attempt ? ', shown here' : '';
    return el('li', { class: one.masked ? 'masked' : '' },
      `${one.outcome} (${state}${here}), ${one.played_seconds.toFixed(1)} s, ${counted(one.calls, 'call')}, began ${one.started}`);
  });
  return part('attempts', `${rollout.attempts.length} attempts`, el('ol', {}, lines),
    quiet('harness show RUN TASK --attempt N shows another one.'));
}

function flags(entry) {
  const hint = (flag) => Object.hasOwn(INDEX.hints, flag) && el('small', {}, ': ', INDEX.hints[flag]);
  const found = entry.flags.map((flag) => el('li', {}, flag, hint(flag)));
  return part('flags', 'Flags', found.length ? el('ul', {}, found) : quiet('none'));
}

function record(rollout) {
  if (!rollout.record) return part('record', 'Record', quiet(NEVER));
  const fill = () => {
    if (details.querySelector('pre') === null) details.append(long(JSON.stringify(rollout.record, null, 1), 'code'));
  };
  const details = el('details', { ontoggle: fill }, el('summary', {}, 'The attempt’s record as JSON'));
  return part('record', 'Record', details);
}

function talk(rollout) {
  const off = (rollout.calls_off_chain || []).map(offChain);
  const first = rollout.turns.findIndex((turn) => turn.role === 'assistant');
  const turns = rollout.turns.map((turn, place) => place < first || first < 0 ? given(turn) : shownTurn(turn));
  if (!turns.length) return part('talk', 'Talk', quiet(NEVER));
  return part('talk', 'Talk', el('ol', { class: 'turns' }, turns, off));
}

function head(entry) {
  const place = shown.indexOf(entry);
  const where = [place < 0 ? 'not in the list' : `${place + 1} of ${shown.length}`, entry.category];
  const step = (id, text, by, key) => el('button', {
    type: 'button', id, onclick: () => walk(by), 'aria-keyshortcuts': key, disabled: !neighbour(by),
  }, text);
  return el('header', { class: 'bar-of-tools' },
    el('div', {},
      el('h2', { id: 'rollout-title', tabindex: '-1' },
        `Task ${entry.task}`, INDEX.repeats && `, repeat ${entry.repeat}`),
      quiet(where.filter(Boolean).join(' · '))),
    el('div', { class: 'tools' },
      step('previous', '← Previous', -1, 'k'), step('next', 'Next →', 1, 'j'),
      el('button', { type: 'button', id: 'close', onclick: () => byId('rollout').close() }, 'Close')));
}

function content(entry, rollout) {
  return el('div', { class: 'columns' },
    el('div', { class: 'aside' },
      puzzle(rollout),
      el('div', { class: 'two' }, answer(entry, rollout), part('gold', 'Right answer', long(rollout.gold, 'large'))),
      verdict(entry, rollout), reason(entry, rollout), flags(entry)),
    el('div', {},
      talk(rollout),
      el('div', { class: 'evidence' },
        part('egress', 'Network', rollout.network ? pairs(rollout.network) : quiet(NEVER)),
        rollout.measurements && part('measurements', 'Measured', pairs(rollout.measurements)),
        attempts(rollout), record(rollout))));
}

// Show an entry's rollout in the dialog, which may be open already.
function show(entry) {
  const dialog = byId('rollout');
  const rollout = block('r-' + entry.number);
  if (!dialog.open) cameFrom = document.activeElement;
  opened = entry;
  dialog.replaceChildren(head(entry), rollout ? content(entry, rollout) : quiet('Loading …'));
  if (!rollout) whenWhole(() => { if (opened === entry) show(entry); });
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  byId('rollout-title').focus();
}

// The entry that stands so many lines away from the open one, or the page that has it.
function neighbour(by) {
  const place = shown.indexOf(opened);
  return shown[place < 0 ? 0 : place + by] || (by > 0 ? INDEX.following : INDEX.previous) || null;
}
