import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { type Group, requireGroup } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import {
  MergeSchema,
  mergeGroup,
  previewSplit,
  type Rule,
  RuleSchema,
  SplitSchema,
  splitByRule,
  splitGroup,
} from '../../../shared/groups/merge-and-split.ts';
import { errorName, nameTypes } from '../components/error-name.ts';
import { confirmForm, hiddenField, selectField, textField } from '../components/form.ts';
import { groupPath } from '../components/links.ts';
import { pageHead, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { type ConsoleDeps, fieldsOf, type Page, type PageContext, type Redirect } from '../page.ts';

const maxShown = 50;
const maxPreviewed = 10_000;

const regroupHead = (title: string, fingerprint: string) =>
  pageHead(title, [['Errors', 'groups'] as const, [fingerprint, groupPath(fingerprint)] as const]);

/** `GET /groups/:fingerprint/merge`: the errors that this one can be merged into. */
export async function mergePage({ db }: ConsoleDeps, context: PageContext): Promise<Page> {
  const { fingerprint, title } = await requireGroup(db, context.params.fingerprint ?? '');
  const path = groupPath(fingerprint);
  const states = ['OPEN', 'ACKNOWLEDGED', 'REGRESSED', 'MUTED'] as const;
  const page = { states, order: 'recent', until: context.now, limit: maxShown } as const;
  const others = await listGroups(db, { ...page, folded: [fingerprint] });
  const label = others.length > 0 ? 'Or its fingerprint' : 'Fingerprint of the other error';
  const content = html`${others.length > 0 && candidates(others)}
    ${textField({ name: 'other', label, value: context.form.get('other'), maxLength: 100 })}`;
  const main = html`${regroupHead('Merge into another error', fingerprint)}
    <p class="wrap"><strong>${errorName(title)}</strong> and all its later failures count for the error that you choose, whose
      state, owner and note apply. Its events stay unchanged, and you can split it again.</p>
    ${confirmForm(context, { action: `${path}/merge`, content, submit: 'Merge', cancel: path })}`;
  return { title: 'Merge an error', main };
}

function candidates(groups: readonly Group[]): Html {
  const options = groups.map((group) => {
    const words = `${(group.title ?? 'A new error').slice(0, 200)} (${nameTypes(group)}, ${countOf(group.failures, 'failure')})`;
    return [group.fingerprint, words] as const;
  });
  return selectField({ name: 'into', label: 'Into', options: [['', 'choose an error'], ...options] });
}

/** `POST /groups/:fingerprint/merge {into, other, reason}`: merges an error into another one. */
export async function mergeByForm({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const into = form.get('other')?.trim() || (form.get('into') ?? '');
  const request = validate(MergeSchema, { into, reason: form.get('reason') ?? '' });
  const change = { fingerprint: params.fingerprint ?? '', actor: caller.name };
  const { fingerprint } = await mergeGroup(db, { ...change, ...request });
  return { to: groupPath(fingerprint), notice: 'Merged. Later failures count for this error, too.' };
}

const fields = [
  ['words', 'Class, reason or stack contain'],
  ['class', 'The error class is'],
  ['type', 'The event type is'],
  ['consumer', 'The consumer is'],
] as const;

/** `GET /groups/:fingerprint/split?field=&value=`: previews the two parts of an error. */
export async function splitPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { fingerprint, title } = await requireGroup(deps.db, context.params.fingerprint ?? '');
  const path = groupPath(fingerprint);
  const [field, value] = ['field', 'value'].map((name) => fieldsOf(context).get(name));
  const rule = value?.trim() ? validate(RuleSchema, { field: field ?? 'words', value }) : undefined;
  const main = html`${regroupHead('Split an error', fingerprint)}
    <p class="wrap">The events of <strong>${errorName(title)}</strong> that have a word or a value, and later
      ones, become an error of their own. Merging it back undoes that.</p>
    <form method="get" action="${path}/split" class="side-form">
      ${selectField({ name: 'field', label: 'Where', value: field, options: fields })}
      ${textField({ name: 'value', label: 'Word or value', value, isRequired: true, maxLength: 200 })}
      <div class="actions"><button>Preview</button><a class="button" href="${path}">Cancel</a></div>
    </form>
    ${rule && (await showParts(deps, context, { fingerprint, rule }))}`;
  return { title: 'Split an error', main };
}

type Parting = { readonly fingerprint: string; readonly rule: Rule };

async function showParts(deps: ConsoleDeps, context: PageContext, { fingerprint, rule }: Parting) {
  const { with: fresh, without: rest } = await previewSplit(deps.db, fingerprint, rule);
  const among = fresh.events + rest.events < maxPreviewed ? '' : ' among the latest 10,000';
  const parts = Object.entries({ 'The new error': fresh, 'What stays': rest }).map(
    ([name, { events, titles }]) => {
      const lines = titles.map((each) => html`<li><span class="wrap">${errorName(each)}</span></li>`);
      return section(`${name}: ${countOf(events, 'event')}${among}`, html`<ul class="list">${lines}</ul>`);
    },
  );
  if (fresh.events === 0 || rest.events === 0)
    return html`${parts}<p class="notice">Nothing to split${among}: give a word or a value that only one part has.</p>`;
  const [action, cancel] = [`${groupPath(fingerprint)}/split`, groupPath(fingerprint)];
  const content = html`${hiddenField('field', rule.field)}${hiddenField('value', rule.value)}`;
  return html`${parts}${confirmForm(context, { action, content, submit: 'Split', cancel })}`;
}

/** `POST /groups/:fingerprint/split {field, value, reason}`: splits by a value, or a merged error off. */
export async function splitByForm({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const [field, value] = [form.get('field'), form.get('value')];
  const by = field === null ? {} : { by: { field, value } };
  const { by: rule, reason } = validate(SplitSchema, { ...by, reason: form.get('reason') ?? '' });
  const change = { fingerprint: params.fingerprint ?? '', actor: caller.name, reason };
  const group = rule ? await splitByRule(db, { ...change, rule }) : await splitGroup(db, change);
  return { to: groupPath(group.fingerprint), notice: 'Split: an error of its own.' };
}
