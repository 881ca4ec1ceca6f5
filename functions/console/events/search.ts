import * as v from 'valibot';
import { validate } from '../../../shared/config/validate.ts';
import { InputError } from '../../../shared/errors.ts';
import { requiredText } from '../../../shared/events/actions/operator-text.ts';
import { filterFields } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import type { Position } from '../../../shared/events/filter/page-position.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { readFilterText } from '../../../shared/events/filter/read-filter.ts';
import type { Misreading } from '../../../shared/events/filter/text-values.ts';
import { listCompared } from '../../../shared/events/masking/guard-probes.ts';
import { listViews, recordView } from '../../../shared/events/views.ts';
import { checkbox, hiddenField, postForm, searchInput, textField } from '../components/form.ts';
import { linkSwitch, type SearchScope, searchLink } from '../components/links.ts';
import { collapsible, facts } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { listProblems } from '../layout.ts';
import { addressOf, type ConsoleDeps, type PageContext, type Redirect } from '../page.ts';

/** A search: its text, and either the filter it means or its problems. */
export type Search = {
  readonly text: string;
  readonly filter?: Filter;
  readonly problems?: readonly Misreading[];
};

/** A search of a request: who looks for what, in which list. */
export type Asked = {
  readonly deps: ConsoleDeps;
  readonly context: PageContext;
  readonly text: string;
  readonly filter: Filter;
  readonly scope: SearchScope;
  readonly isArchive: boolean;
  readonly position: Position;
  /** Whether values that routes mask are compared, too. */
  readonly canCompare: boolean;
};

/** Reads the filter in `?q=`. */
export function readSearch(query: URLSearchParams): Search {
  const text = (query.get('q') ?? '').trim();
  const parsed = parseFilterText(text);
  return parsed.ok ? { text, filter: parsed.value } : { text, problems: parsed.problems };
}

/**
 * The filter of a preview: its relative times count back from the preview, and events captured since then are
 * excluded. A filter without conditions stays empty, so that an action rejects it. Throws an InputError.
 */
export function readPreviewedFilter({ q = '', asOf }: Readonly<Record<string, string>>, now: Date): Filter {
  const asked = new Date(asOf ?? now);
  // No time, or one to come, is now.
  const previewedAt = asked < now ? asked : now;
  const filter = readFilterText(q, previewedAt);
  const { capturedBefore } = filter;
  const isEarlier = capturedBefore !== undefined && new Date(capturedBefore) < previewedAt;
  return isEarlier || Object.keys(filter).length === 0
    ? filter
    : { ...filter, capturedBefore: previewedAt.toISOString() };
}

/** The saved views of a list, those of the user and of the team, and a form that saves the shown one. */
export async function savedViews({ db }: ConsoleDeps, context: PageContext): Promise<Html> {
  const { caller, path } = context;
  const query = new URLSearchParams(context.query);
  // Every page of a list is one of the same view, which begins with the newest.
  for (const name of ['before', 'after', 'read', 'found']) query.delete(name);
  const shown = addressOf({ path, query });
  const views = await listViews(db, { actor: caller.name });
  const own = views.filter((view) => view.path.startsWith(path.slice(1)));
  const chips = own.map(
    (view) =>
      html`<a class="chip" href="${view.path}"${view.path === shown && html` aria-current="true"`}>${view.name}<span class="muted">${view.owner === '' ? 'team' : 'mine'}</span></a>`,
  );
  const current = own.filter((view) => view.path === shown);
  const form = (fields: Html) => {
    const content = html`${hiddenField('path', shown)}${fields}`;
    return postForm(context, { action: 'views', className: 'actions', content });
  };
  const save = form(html`${textField({ name: 'name', label: 'Name', isRequired: true, maxLength: 60 })}
    ${checkbox('team', 'For the team', false)}<button name="command" value="save">Save</button>`);
  const remove = current.map(({ name, owner }) =>
    form(html`${hiddenField('name', name)}${owner === '' && hiddenField('team', 'on')}
      <button class="link small" name="command" value="remove">Remove ${name}</button>`),
  );
  const offered = query.size > 0 && current.length === 0 ? collapsible('Save this view', save) : remove;
  return html`<div class="actions">${chips}${caller.isOperator && offered}</div>`;
}

const FormSchema = v.object({
  name: requiredText(60, 'The name.', 'Give the view a name.'),
  path: v.pipe(
    v.string(),
    v.maxLength(4000, 'The filter is too long to be saved.'),
    v.regex(/^(events|events\/archive|groups)\?/, 'Save a list of events or of errors.'),
  ),
  team: v.optional(v.literal('on', 'Use "on".')),
  command: v.picklist(['save', 'remove'], 'Use save or remove.'),
});

/** `POST /views {name, path, team, command}`: saves the view of a list, or removes it. */
export async function changeViewByForm(deps: ConsoleDeps, { form, caller }: PageContext): Promise<Redirect> {
  const { name, path, team, command } = validate(FormSchema, Object.fromEntries(form));
  if (command === 'save') rejectMasked(deps, path);
  const owner = team === undefined ? caller.name : '';
  await recordView(deps.db, { actor: caller.name, name, owner, path: command === 'save' ? path : null });
  const notice = command === 'save' ? `The view ${name} is saved.` : `The view ${name} is removed.`;
  return { to: path, notice };
}

/** A view is shown to viewers, and would show them the values that its filter compares. */
function rejectMasked(deps: ConsoleDeps, path: string): void {
  const parsed = parseFilterText(new URLSearchParams(path.slice(path.indexOf('?'))).get('q') ?? '');
  const paths = parsed.ok ? listCompared(deps, { filter: parsed.value }) : [];
  if (paths.length === 0) return;
  const remedy = `It compares values that routes mask (${paths.join(', ')}): such a view cannot be saved.`;
  throw new InputError([{ field: 'path', value: '(not shown)', remedy }]);
}

/** The filter as a line of text, with its problems. */
export function searchForm({ text, problems = [] }: Search, scope: SearchScope): Html {
  const placeholder = 'words, an id, or type:order.* status:open failed:>24h';
  const input = searchInput('events', { value: text, placeholder });
  const wrong = problems.map(({ text: field, remedy }) => ({ field, remedy }));
  return html`<form class="filter-line" role="search" action="${scope}">${input}<button>Search</button></form>
    ${wrong.length > 0 && listProblems(wrong)}`;
}

/** Links to the same search with another status or without a condition, and all conditions. */
export function filterLinks(filter: Filter, scope: SearchScope): Html {
  const chips = Object.entries(filter)
    .filter(([name, value]) => name !== 'status' && value !== undefined)
    .map(([name, value]) => {
      const text = printFilterText({ [name]: value });
      const rest = printFilterText({ ...filter, [name]: undefined });
      return html`<a class="chip" href="${searchLink(rest, scope)}" aria-label="Remove ${text}"><span class="truncate">${text}</span> ×</a>`;
    });
  return html`<div class="filter-more">${statusTabs(filter, scope)}${chips.length > 0 && html`<div class="actions">${chips}</div>`}${conditionHelp()}</div>`;
}

const states = [
  [undefined, 'All'],
  [['PENDING', 'PROCESSING'], 'Open'],
  [['FAILED_PERMANENTLY'], 'Failed permanently'],
  [['SUCCEEDED'], 'Succeeded'],
  [['DISCARDED'], 'Discarded'],
] as const;

function statusTabs({ status, ...others }: Filter, scope: SearchScope): Html {
  const link = (statuses: Filter['status'], to: SearchScope = 'events') =>
    searchLink(printFilterText({ ...others, ...(statuses && { status: statuses }) }), to);
  const tabs = states.map(([statuses, text]) => [link(statuses), text] as const);
  const archive = link(status, 'events/archive');
  const current = scope === 'events' ? link(status?.toSorted()) : archive;
  return linkSwitch('Status', current, [...tabs, [archive, 'Archive']]);
}

/** Every condition of a filter with an example. */
export function conditionHelp(isOpen = false): Html {
  const fields = Object.values(filterFields);
  const lines = fields.map(
    ({ example, description }) => [html`<code>${example}</code>`, description] as const,
  );
  return collapsible('All conditions', facts(lines), isOpen);
}
