// Progressive enhancement of lists: selection, and the way from an event back to its list. Pages work without it.

const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

// Selection: a checkbox for all rows of the page, ranges with Shift, and the number of selected rows. Actions need a row.

const rowBoxes = 'td.checkbox-cell input';

function watchSelection(form) {
  const boxes = findAll(rowBoxes, form);
  const all = find('[data-all]', form);
  const scope = find('select[name="scope"]', form);
  const selectAll = find('[data-select-all]', form);
  let last = 0;
  const update = () => {
    const selected = boxes.filter((box) => box.checked).length;
    const isPage = selected > 0 && selected === boxes.length;
    const isEverything = scope?.value === 'all';
    if (all) Object.assign(all, { checked: isPage, indeterminate: selected > 0 && !isPage });
    if (selectAll) selectAll.hidden = !isPage || isEverything;
    find('[data-selection-count]', form).textContent =
      selected === 0 || isEverything ? '' : `${selected} selected`;
    for (const button of findAll('button[name="command"]', form))
      button.disabled = selected === 0 && !isEverything;
  };
  all?.closest('[hidden]')?.removeAttribute('hidden');
  all?.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
  });
  selectAll?.addEventListener('click', () => {
    scope.value = 'all';
    update();
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

// The list that an event was opened from: the page of the event leads back to it, and to the events beside this one.

function rememberList() {
  const paths = findAll('table.events a.title').map((link) => link.pathname);
  if (paths.length > 1 && find('form.selection'))
    sessionStorage.setItem('list', JSON.stringify({ href: location.href, paths }));
}

function showNeighbours() {
  const crumb = find('.breadcrumb a');
  const list = JSON.parse(sessionStorage.getItem('list') ?? 'null');
  const index = list ? list.paths.indexOf(location.pathname) : -1;
  if (index === -1 || !crumb) return;
  crumb.href = list.href;
  const link = (text, path, rel) => {
    if (!path) return;
    const element = Object.assign(document.createElement('a'), { href: path, rel, textContent: text });
    crumb.parentElement.append(' ', element);
  };
  link('Previous', list.paths[index - 1], 'prev');
  link('Next', list.paths[index + 1], 'next');
}

// A typed reason outlives Back and a rejected form, in this tab, until an action is done with it.

const reasonKey = `reason ${location.href}`;

function keepReason(input) {
  input.value ||= sessionStorage.getItem(reasonKey) ?? '';
  input.addEventListener('input', () => sessionStorage.setItem(reasonKey, input.value));
  input.form.addEventListener('submit', () => sessionStorage.setItem('sent', reasonKey));
}

function dropSentReason() {
  const sent = sessionStorage.getItem('sent');
  const isRejected = find('main :is([role="alert"], .problems, .problem)');
  const isDone = find('main > .notice[role="status"]') || (sent !== reasonKey && !isRejected);
  if (sent && isDone) for (const key of [sent, 'sent']) sessionStorage.removeItem(key);
}

// A search that reads each event goes on by itself, part after part, until it has found a page of events or
// read all. Rows are added to those that are there; what operators can do with them is watched when it ends.

const maxFound = 50;

function addRows(fresh) {
  const [results, more] = [find('[data-results]'), find('[data-results]', fresh)];
  const [body, rows] = [find('table.events tbody', results), findAll('table.events tbody tr', more)];
  if (body) body.append(...rows);
  else results.replaceChildren(...more.childNodes);
  document.dispatchEvent(new CustomEvent('enhance', { detail: results }));
}

function showReading(reading, stop) {
  find('#reading').replaceWith(reading);
  document.dispatchEvent(new CustomEvent('enhance', { detail: reading }));
  const [link, button] = [find('a[rel="next"]', reading), find('[data-stop]', reading)];
  if (!link) return;
  link.hidden = true;
  button.hidden = false;
  button.addEventListener('click', () => stop.abort());
}

async function readOn() {
  const stop = new AbortController();
  let current = find('#reading');
  showReading(current, stop);
  try {
    while (findAll('table.events tbody tr').length < maxFound) {
      const link = find('a[rel="next"]', current);
      if (!link) break;
      const response = await fetch(link.href, { headers: { accept: 'text/html' }, signal: stop.signal });
      if (!response.ok || response.redirected) break;
      const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
      current = find('#reading', fresh);
      addRows(fresh);
      showReading(current, stop);
    }
  } catch {
    // Stopped, or the network is gone: the link goes on from here.
  }
  for (const link of findAll('a[rel="next"]', current)) link.hidden = false;
  for (const shown of findAll('[data-stop], progress', current)) shown.hidden = true;
}

dropSentReason();
findAll('form[method=post] input[name=reason]').forEach(keepReason);
if (find('#reading')) await readOn();
// A list does not move below the reader: a line says how many rows are new, and shows them.

const freshSeconds = 20;

async function countFresh(table) {
  if (document.hidden) return;
  const hrefs = (root) =>
    findAll('tbody a.title', root ?? document.createElement('div')).map((link) => link.getAttribute('href'));
  const response = await fetch(location.href, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  if (!response?.ok || response.redirected) return;
  const fresh = find('main', new DOMParser().parseFromString(await response.text(), 'text/html'));
  const known = new Set(hrefs(table));
  const count = hrefs(fresh && find('table.events, table.groups', fresh)).filter(
    (href) => !known.has(href),
  ).length;
  find('#fresh')?.remove();
  if (count === 0) return;
  const link = Object.assign(document.createElement('a'), {
    href: location.href,
    textContent: `new: ${count}`,
  });
  const note = Object.assign(document.createElement('p'), { id: 'fresh', className: 'notice' });
  note.setAttribute('role', 'status');
  note.append(link);
  table.before(note);
}

function watchFresh(table) {
  const { searchParams } = new URL(location.href);
  if (searchParams.has('before') || searchParams.has('after')) return;
  setInterval(() => countFresh(table), freshSeconds * 1000);
  document.addEventListener('visibilitychange', () => countFresh(table));
}

findAll('form.selection').forEach(watchSelection);
findAll('form.selection :is(table.events, table.groups)').forEach(watchFresh);
rememberList();
showNeighbours();
