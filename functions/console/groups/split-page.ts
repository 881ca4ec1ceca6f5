import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { requireGroup } from '../../../shared/groups/error-groups.ts';
import { SplitSchema, splitGroup } from '../../../shared/groups/merge-groups.ts';
import { previewSplit, type Rule, RuleSchema, splitByRule } from '../../../shared/groups/split-by-rule.ts';
import { errorName } from '../components/error-name.ts';
import { confirmForm, hiddenField, selectField, textField } from '../components/form.ts';
import { groupPath } from '../components/links.ts';
import { pageHead, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { type ConsoleDeps, fieldsOf, type Page, type PageContext, type Redirect } from '../page.ts';

const fields = [
  ['words', 'Class, reason or stack contain'],
  ['class', 'The error class is'],
  ['type', 'The event type is'],
  ['consumer', 'The consumer is'],
] as const;

/**
 * `GET /groups/:fingerprint/split?field=&value=`: the two parts of an error. Changes nothing. Throws a
 * NotFoundError.
 */
export async function splitPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { fingerprint, title } = await requireGroup(deps.db, context.params.fingerprint ?? '');
  const path = groupPath(fingerprint);
  const [field, value] = ['field', 'value'].map((name) => fieldsOf(context).get(name));
  const rule = value?.trim() ? validate(RuleSchema, { field: field ?? 'words', value }) : undefined;
  const main = html`${pageHead('Split an error', [
    ['Errors', 'groups'],
    [fingerprint, path],
  ])}
    <p class="wrap">The events of <strong>${errorName(title)}</strong> that have a word or a value, and later
      ones, become an error of their own. Merging it back undoes that.</p>
    <form method="get" action="${path}/split" class="side-form">
      ${selectField({ name: 'field', label: 'Where', value: field, options: fields })}
      ${textField({ name: 'value', label: 'Word or value', value, isRequired: true, maxLength: 200 })}
      <div class="actions"><button>Preview</button><a class="button" href="${path}">Cancel</a></div>
    </form>
    ${rule && (await showParts(deps, context, { fingerprint, rule }))}`;
  return { title: 'Split an error', tab: 'groups', main };
}

/** Both parts, and the form that makes them. */
async function showParts(
  { db }: ConsoleDeps,
  context: PageContext,
  { fingerprint, rule }: { readonly fingerprint: string; readonly rule: Rule },
): Promise<Html> {
  const { with: fresh, without: rest } = await previewSplit(db, fingerprint, rule);
  const parts = Object.entries({ 'The new error': fresh, 'What stays': rest }).map(
    ([name, { events, titles }]) => {
      const lines = titles.map((each) => html`<li><span class="wrap">${errorName(each)}</span></li>`);
      return section(`${name}: ${countOf(events, 'event')}`, html`<ul class="list">${lines}</ul>`);
    },
  );
  if (fresh.events === 0 || rest.events === 0)
    return html`${parts}<p class="notice">Nothing to split: give a word or a value that only one part has.</p>`;
  const [action, cancel] = [`${groupPath(fingerprint)}/split`, groupPath(fingerprint)];
  const content = html`${hiddenField('field', rule.field)}${hiddenField('value', rule.value)}`;
  return html`${parts}${confirmForm(context, { action, content, submit: 'Split', cancel })}`;
}

/**
 * `POST /groups/:fingerprint/split {field, value, reason}`: splits the events with a value off, or without
 * them, splits a merged error off again.
 */
export async function splitByForm({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const [field, value] = [form.get('field'), form.get('value')];
  const by = field === null ? {} : { by: { field, value } };
  const { by: rule, reason } = validate(SplitSchema, { ...by, reason: form.get('reason') ?? '' });
  const change = { fingerprint: params.fingerprint ?? '', actor: caller.name, reason };
  const group = rule ? await splitByRule(db, { ...change, rule }) : await splitGroup(db, change);
  return { to: groupPath(group.fingerprint), notice: 'Split: an error of its own.' };
}
