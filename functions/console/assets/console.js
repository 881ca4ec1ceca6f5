// Progressive enhancement: local times, live updates, copying, selection and keys. Pages work without it.

const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Fetches a page of the console. Throws if the network, the server or the session is gone. */
async function fetchPage(href, signal = AbortSignal.timeout(10_000)) {
  const response = await fetch(href, { headers: { accept: 'text/html' }, signal });
  if (!response.ok || response.redirected) throw new Error(`The page answered ${response.status}.`);
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

// Times are shown in the browser's time zone. The tooltip has UTC.

const units = { d: 86_400, h: 3600, min: 60, s: 1 };
const formats = {
  full: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' }),
  hour: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }),
};

function describeAge(at) {
  const seconds = Math.round((Date.now() - at) / 1000);
  const distance = Math.abs(seconds);
  const unit = Object.keys(units).find((each) => distance >= units[each]);
  if (!unit) return 'now';
  const words = `${Math.floor(distance / units[unit])} ${unit}`;
  return seconds > 0 ? `${words} ago` : `in ${words}`;
}

/** A `time`, or the tooltip of a step of a chart, which has counts after its time. */
function showTime(element) {
  const { at = element.dateTime, axis, ago, counts } = element.dataset;
  const time = new Date(at);
  const full = formats.full.format(time);
  const words = ago === undefined ? formats[axis ?? 'full'].format(time) : describeAge(time);
  element.textContent = counts ? `${full}: ${counts}` : words;
  if (!axis && !counts) element.title = `${full}\n${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const showTimes = (root) => findAll('time, title[data-at]', root).forEach(showTime);

// Live elements: the page is fetched again, and its elements with `data-live` are brought up to date. A list
// does not move below the reader: its rows are, and a line says how many are new, and shows them.

const lists = 'form.selection :is(table.events, table.groups)';
const listSeconds = 20;
const gone = ' <span class="badge gone">no longer listed</span>';
/** Only the first page of a list gets new rows. */
const watched = /[?&](before|after)=/.test(location.search) ? '[data-live]' : `[data-live], ${lists}`;

let isRefreshing = false;
let currentAt = new Date();

async function refresh() {
  if (document.hidden || isRefreshing) return;
  isRefreshing = true;
  try {
    const fresh = await fetchPage(location.href);
    showTimes(fresh);
    const { activeElement: active } = document;
    for (const old of findAll('[data-live]:not(:has(form[aria-busy]))')) {
      const next = fresh.getElementById(old.id);
      if (!next) continue;
      old.dataset.live = next.dataset.live;
      update(old, next);
    }
    if (!active.isConnected)
      findAll('a, button')
        .find((each) => each.isEqualNode(active))
        ?.focus();
    updateList(find(lists), fresh);
    currentAt = new Date();
    find('#stale')?.remove();
  } catch {
    if (!find('#stale')) showStale();
  }
  isRefreshing = false;
}

/** An element's tag, without the state of details, and the first link of a row. A text is like no other. */
function keyOf(node) {
  if (node.nodeType !== 1) return NaN;
  const tag = node.cloneNode();
  tag.open = false;
  const isRow = node.matches('li, tr, tbody:not([data-key], :only-of-type)');
  return tag.outerHTML + (isRow && find('a', node)?.href);
}

/** Changes only what is new, and removes no field in use: focus, selection, text and open details stay. */
function update(old, next) {
  if (old.isEqualNode(next)) return;
  const nodes = [...old.childNodes];
  const keys = nodes.map(keyOf);
  let at = 0;
  for (const child of [...next.childNodes]) {
    const found = keys.indexOf(keyOf(child), at);
    if (found < 0) old.insertBefore(child, nodes[at] ?? null);
    else {
      update(nodes[found], child);
      nodes[found] = undefined;
      at = found + 1;
    }
  }
  const field = document.activeElement?.closest('input, textarea, select');
  for (const each of nodes) if (each && !each.contains(field)) each.remove();
}

function updateList(table, fresh) {
  if (!table) return;
  const rowsOf = (of) => new Map(findAll(`${lists} tbody a.title`, of).map((a) => [a.href, a.closest('tr')]));
  const [known, rows] = [rowsOf(document), rowsOf(fresh)];
  // The last rows may be on the next page now.
  let isGone = !find('a[rel="next"]', fresh);
  for (const [href, row] of [...known].reverse()) {
    const next = rows.get(href);
    if (next) update(row, next);
    else if (isGone && !find('.gone', row)) find('a.title', row).insertAdjacentHTML('afterend', gone);
    isGone ||= !!next;
  }
  const count = [...rows.keys()].filter((href) => !known.has(href)).length;
  find('#fresh')?.remove();
  if (count === 0) return;
  const note = `<p id="fresh" class="notice" role="status"><a>new: ${count}${count === rows.size ? ' or more' : ''}</a></p>`;
  table.insertAdjacentHTML('beforebegin', note);
  find('#fresh a').href = location.href;
}

/** Says of what time the page is. A sign-in needs a new request. */
function showStale() {
  const time = `<time datetime="${currentAt.toISOString()}"></time>`;
  const note = `<p id="stale" class="warning" role="alert">Not current since ${time}, trying again. <a>Reload</a></p>`;
  find('main').insertAdjacentHTML('afterbegin', note);
  find('#stale a').href = location.href;
  showTimes(find('#stale'));
}

function scheduleRefresh() {
  const seconds = Math.min(...findAll(watched).map(({ dataset }) => Number(dataset.live ?? listSeconds)));
  if (Number.isFinite(seconds)) setTimeout(() => refresh().then(scheduleRefresh), seconds * 1000);
}

// Copying: the text of an element, without the headings of its folded lines, or a text.

async function copy({ target }) {
  const button = target.closest('[data-copy], [data-copy-text]');
  if (!button) return;
  const copied = document.getElementById(button.dataset.copy)?.cloneNode(true);
  for (const summary of copied ? findAll('summary', copied) : []) summary.remove();
  await navigator.clipboard.writeText(copied?.textContent ?? button.dataset.copyText);
  button.textContent = 'Copied';
}

// Keyboard shortcuts.

let isNavigating = false;

function moveTo(step) {
  const links = findAll('tbody a.title').filter((link) => link.checkVisibility());
  const current = links.findIndex((link) => link.closest('tr').contains(document.activeElement));
  links[Math.min(Math.max(current + step, 0), links.length - 1)]?.focus();
}

const keys = {
  '/': () => find('[data-search]')?.select(),
  j: () => moveTo(1),
  k: () => moveTo(-1),
  x: () => find('td.checkbox-cell input', document.activeElement.closest('tr') ?? undefined)?.click(),
  g: () => {
    isNavigating = true;
    setTimeout(() => (isNavigating = false), 2000);
  },
  '?': () => find('#shortcuts').togglePopover(),
};

/** A tab, or a button or link of the page with a key of its own, such as that of a replay. */
function press(key) {
  const attribute = isNavigating ? 'data-go' : 'data-key';
  const found = /^[a-z]$/.test(key) && find(`[${attribute}="${key}"]:not(:disabled)`);
  return found && (() => found.click());
}

function onKey(event) {
  const isTyping = event.target.closest('input:not([type="checkbox"]), textarea, select');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  // Cyrillic, Greek and other letters, and capital ones, are those of the key.
  const key = /^[!-@a-z]$/.test(event.key) ? event.key : event.code.replace('Key', '').toLowerCase();
  const action = (isNavigating && press(key)) || (keys[key] ?? press(key));
  if (!action) return;
  event.preventDefault();
  action();
}

// Selection: a checkbox for all rows of the page, ranges with Shift, and the number of selected rows. Actions need a row.

function watchSelection(form) {
  const boxes = findAll('td.checkbox-cell input', form);
  const [all, scope] = ['[data-all]', '[name="scope"]'].map((each) => find(each, form));
  let last = 0;
  const update = () => {
    const selected = boxes.filter((box) => box.checked).length;
    const isPage = selected > 0 && selected === boxes.length;
    const isEverything = scope?.value === 'all';
    if (all) Object.assign(all, { checked: isPage, indeterminate: selected > 0 && !isPage });
    const count = selected === 0 || isEverything ? '' : `${selected} selected`;
    find('[data-selection-count]', form).textContent = count;
    for (const button of findAll('button[name="command"]', form))
      button.disabled = selected === 0 && !isEverything;
  };
  all?.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
  });
  for (const [i, box] of boxes.entries())
    box.addEventListener('click', (event) => {
      if (event.shiftKey)
        for (const each of boxes.slice(Math.min(i, last), Math.max(i, last) + 1)) each.checked = box.checked;
      last = i;
    });
  form.addEventListener('change', update);
  update();
}

// A clock time is one of the browser's zone, which the server does not know: the next one in a field and of
// `due`, and the latest one of other conditions of a search. So is a time of a day in a field.

function toTime(text, isNext) {
  const at = new Date();
  at.setHours(...text.split(':'), 0, 0);
  if (at > new Date() !== isNext) at.setDate(at.getDate() + (isNext ? 1 : -1));
  return `${at.toISOString().slice(0, 19)}Z`;
}

function addZones(form) {
  for (const field of findAll('[name=until], [name=startAt], [name=notAfter]', form))
    field.value = field.value.replace(/^\s*(\d{4}-\d\d-\d\dT)?([01]?\d|2[0-3]):[0-5]\d\s*$/, (time, day) =>
      day ? new Date(time.trim()).toISOString() : toTime(time, true),
    );
  for (const field of findAll('[data-search]', form))
    field.value = field.value.replaceAll(/(?<=(\w+):[<>])(?:[01]?\d|2[0-3]):[0-5]\d(?=\s|$)/g, (time, name) =>
      toTime(time, name === 'due'),
    );
}

// A form is sent once: a second click would report that nothing was left to do. After 10 s its answer is lost.
// It stays until the console answers: a sign-in or a failure in its place would lose what was typed.

const unsent = `<p id="unsent" class="warning" role="alert">Not sent: you are signed out, or the console does not answer.
  <a href="." target="_blank">Open it in another tab</a>, then send this again.</p>`;

async function onSubmit(event) {
  const { target: form, submitter } = event;
  addZones(form);
  if (form.method !== 'post' || form.ariaBusy === 'false') return;
  event.preventDefault();
  if (form.ariaBusy) return;
  form.ariaBusy = true;
  const free = () => (form.ariaBusy = null);
  addEventListener('pageshow', free);
  try {
    await fetchPage('activity?before=1');
    form.ariaBusy = false;
    form.requestSubmit(submitter);
    form.ariaBusy = true;
    setTimeout(free, 10_000);
  } catch {
    free();
    find('#unsent') ?? find('main').insertAdjacentHTML('afterbegin', unsent);
  }
}

// A typed reason outlives Back and a rejected form, in this tab, until an action is done, which redirects.

const reasonKey = `reason ${location.href}`;

function keepReason(input) {
  input.value ||= sessionStorage.getItem(reasonKey) ?? '';
  input.addEventListener('input', () => sessionStorage.setItem(reasonKey, input.value));
}

// A search that reads each event goes on by itself, part after part, until it has found a page of events or
// read all. Rows are added to those that are there; what operators can do with them is watched when it ends.

const maxFound = 50;

function addRows(fresh) {
  const [results, more] = [find('[data-results]'), find('[data-results]', fresh)];
  const [table, bodies] = [find('table.events', results), findAll('table.events tbody', more)];
  if (table) table.append(...bodies);
  else results.replaceChildren(...more.childNodes);
}

async function readOn() {
  const stop = new AbortController();
  try {
    while (findAll('table.events a.title').length < maxFound) {
      const reading = find('#reading');
      const [link, button] = [find('a[rel="next"]', reading), find('[data-stop]', reading)];
      if (!link) return;
      Object.assign(link, { hidden: true });
      Object.assign(button, { hidden: false, onclick: () => stop.abort() });
      const fresh = await fetchPage(link.href, stop.signal);
      showTimes(fresh);
      reading.replaceWith(find('#reading', fresh));
      addRows(fresh);
    }
  } catch {
    // Stopped, or the network is gone: the link goes on from here.
  }
  for (const each of findAll('#reading :is(a, [data-stop], progress)')) each.hidden = each.localName !== 'a';
}

showTimes(document);
find('[data-zone]').textContent = formats.full.resolvedOptions().timeZone;
setInterval(() => findAll('time[data-ago]').forEach(showTime), 15_000);
scheduleRefresh();
// A page that was hidden is old.
document.addEventListener('visibilitychange', () => find(watched) && refresh());
document.addEventListener('keydown', onKey);
document.addEventListener('submit', onSubmit);
document.addEventListener('click', copy);
if (performance.getEntriesByType('navigation')[0]?.redirectCount > 0) sessionStorage.clear();
findAll('form[method=post] input[name=reason]').forEach(keepReason);
if (find('#reading')) await readOn();
findAll('form.selection').forEach(watchSelection);
