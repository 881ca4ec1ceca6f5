// Progressive enhancement: local times, live updates, copying and keyboard shortcuts; lists.js has what lists need. Pages work without it.

const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

// Times are shown in the browser's time zone, or in UTC if the user prefers it. The tooltip has the other one.

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];
const format = { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' };
const local = new Intl.DateTimeFormat('en-GB', format);
const zone = local.resolvedOptions().timeZone;
let prefersUtc = localStorage.getItem('zone') === 'UTC';

function describeAge(at) {
  const seconds = Math.round((Date.now() - at) / 1000);
  const [unit, size] = units.find((each) => Math.abs(seconds) >= each[1]) ?? units[3];
  const distance = `${Math.floor(Math.abs(seconds) / size)} ${unit}`;
  if (seconds === 0) return 'now';
  return seconds > 0 ? `${distance} ago` : `in ${distance}`;
}

const axes = {
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
};

function showTime(element) {
  const at = new Date(element.dateTime);
  const axis = axes[element.dataset.axis];
  if (axis) {
    element.textContent = at.toLocaleString('en-GB', { ...axis, timeZone: prefersUtc ? 'UTC' : zone });
    return;
  }
  const utc = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const own = local.format(at);
  const isAge = 'ago' in element.dataset;
  element.textContent = isAge ? describeAge(at) : prefersUtc ? utc : own;
  element.title = isAge || !prefersUtc ? `${own}\n${utc}` : own;
}

// The tooltip of a step of a chart, in the same time zone.

function showStep(title) {
  const at = new Date(title.dataset.at);
  const time = at.toLocaleString('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone: prefersUtc ? 'UTC' : zone,
  });
  title.textContent = `${time}${prefersUtc ? ' UTC' : ''}: ${title.dataset.counts}`;
}

function showZone() {
  const note = find('[data-zone-note]');
  if (!note) return;
  if (zone === 'UTC') return;
  const other = prefersUtc ? zone : 'UTC';
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'link', textContent: `use ${other}` });
  button.addEventListener('click', () => {
    prefersUtc = !prefersUtc;
    localStorage.setItem('zone', prefersUtc ? 'UTC' : 'local');
    findAll('time').forEach(showTime);
    findAll('title[data-at]').forEach(showStep);
    showZone();
    find('[data-zone-note] button')?.focus();
  });
  note.replaceChildren(`Times are in ${prefersUtc ? 'UTC' : zone}, `, button);
}

// Live elements: the page is fetched again, and its elements with `data-live` are replaced if they changed.

async function refresh(ids) {
  const response = await fetch(location.href, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok || response.redirected) throw new Error(`The page answered ${response.status}.`);
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const id of ids) {
    const [old, next] = [document.getElementById(id), fresh.getElementById(id)];
    if (!old || !next || old.contains(document.activeElement) || old.outerHTML === next.outerHTML) continue;
    old.replaceWith(next);
    enhance(next);
  }
}

let isRefreshing = false;
let currentAt = new Date();

async function refreshLive() {
  if (document.hidden || isRefreshing) return;
  isRefreshing = true;
  try {
    await refresh(findAll('[data-live]').map(({ id }) => id));
    currentAt = new Date();
    find('#stale')?.remove();
  } catch {
    showStale();
  }
  isRefreshing = false;
}

// The network, the server or the session is gone: the page shows the time of its last refresh. A sign-in needs a new request.

function showStale() {
  if (find('#stale')) return;
  const note = document.createElement('p');
  Object.assign(note, { id: 'stale', className: 'warning' });
  note.setAttribute('role', 'alert');
  const time = document.createElement('time');
  Object.assign(time, { dateTime: currentAt.toISOString() });
  const reload = document.createElement('a');
  Object.assign(reload, { href: location.href, textContent: 'Reload' });
  note.append('Not current since ', time, ', trying again. ', reload);
  find('main').prepend(note);
  enhance(note);
}

function scheduleRefresh() {
  const live = findAll('[data-live]');
  if (live.length === 0) return;
  const seconds = Math.min(...live.map((element) => Number(element.dataset.live)));
  setTimeout(() => refreshLive().then(scheduleRefresh), seconds * 1000);
}

// Server-sent notifications refresh the page immediately, while it is visible.

function subscribe() {
  let stream;
  const connect = () => {
    stream?.close();
    stream = document.hidden ? undefined : new EventSource(new URL('notifications', document.baseURI));
    stream?.addEventListener('message', refreshLive);
  };
  document.addEventListener('visibilitychange', connect);
  connect();
}

// Suggestions complete the last word of the search: the browser compares an option with the whole field.

function suggest(input) {
  const options = findAll('option', input.list);
  const conditions = options.map(({ value }) => value);
  input.addEventListener('input', () => {
    const before = input.value.slice(0, input.value.search(/\S*$/));
    for (const [i, option] of options.entries()) option.value = before + conditions[i];
  });
}

// Keyboard shortcuts.

let isNavigating = false;

function moveTo(step) {
  const neighbour = find(`.breadcrumb a[rel="${step > 0 ? 'next' : 'prev'}"]`);
  if (neighbour) return neighbour.click();
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
  '?': () => find('#shortcuts')?.showModal(),
};

// A tab, or a button or link of the page with a key of its own, such as that of a replay.
function press(key) {
  const attribute = isNavigating ? 'data-go' : 'data-key';
  const found = /^[a-z]$/.test(key) && find(`[${attribute}="${key}"]:not(:disabled)`);
  return found && (() => found.click());
}

function onKey(event) {
  const isTyping = event.target.closest('input:not([type="checkbox"]), textarea, select, dialog[open]');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const action = (isNavigating && press(event.key)) || (keys[event.key] ?? press(event.key));
  if (!action) return;
  event.preventDefault();
  action();
}

// Enhances the document, or an element that a refresh replaced.

function enhance(root) {
  findAll('time', root).forEach(showTime);
  findAll('title[data-at]', root).forEach(showStep);
  for (const button of findAll(':is([data-copy], [data-copy-text])', root)) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const { copy, copyText } = button.dataset;
      await navigator.clipboard.writeText(copy ? textOf(copy) : copyText || location.href);
      button.textContent = 'Copied';
    });
  }
}

// The headings of folded lines are not part of the text.
function textOf(id) {
  const copied = document.getElementById(id).cloneNode(true);
  for (const summary of findAll('summary', copied)) summary.remove();
  return copied.textContent;
}

enhance(document);
document.addEventListener('enhance', ({ detail }) => enhance(detail));
showZone();
scheduleRefresh();
// A page that was hidden is old.
document.addEventListener('visibilitychange', () => find('[data-live]') && refreshLive());
if ('notifications' in document.body.dataset && find('[data-live]')) subscribe();
findAll('input[list]').forEach(suggest);
setInterval(() => findAll('time[data-ago]').forEach(showTime), 15_000);
document.addEventListener('keydown', onKey);
const help = find('[data-shortcuts]');
if (help) help.hidden = false;
help?.addEventListener('click', keys['?']);
