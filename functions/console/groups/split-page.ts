import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import type { Problem } from '../../../shared/errors.ts';
import { requireGroup } from '../../../shared/groups/error-groups.ts';
import { SplitSchema, splitGroup } from '../../../shared/groups/merge-groups.ts';
import {
  previewSplit,
  type Rule,
  RuleSchema,
  type SplitPreview,
  splitByRule,
} from '../../../shared/groups/split-by-rule.ts';
import { errorName } from '../components/error-name.ts';
import { confirmForm, hiddenField, selectField, textField } from '../components/form.ts';
import { groupPath } from '../components/group-cells.ts';
import { pageHead, section } from '../components/section.ts';
import { listProblems, problemsOf } from '../error-page.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';

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
export function splitPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { query } = context;
  return showForm(deps, context, { field: query.get('field'), value: query.get('value') });
}

type Sent = {
  readonly field: string | null;
  readonly value: string | null;
  readonly problems?: readonly Problem[];
};

async function showForm(
  { db }: ConsoleDeps,
  context: PageContext,
  { field, value, problems }: Sent,
): Promise<Page> {
  const group = await requireGroup(db, context.params.fingerprint ?? '');
  const path = groupPath(group);
  const rule = value?.trim() ? validate(RuleSchema, { field: field ?? 'words', value }) : undefined;
  const preview = rule && (await previewSplit(db, group.fingerprint, rule));
  const main = html`${pageHead('Split an error', [
    ['Errors', 'groups'],
    [group.fingerprint, path],
  ])}
    ${problems && listProblems(problems)}
    <p class="wrap">The events of <strong>${errorName(group.title ?? 'A new error')}</strong> that have a word or a value, and later
      ones, become an error of their own. Merging it back undoes that.</p>
    <form method="get" action="${path}/split" class="side-form">
      ${selectField({ name: 'field', label: 'Where', value: field, options: fields })}
      ${textField({ name: 'value', label: 'Word or value', value, isRequired: true, maxLength: 200 })}
      <div class="actions"><button>Preview</button><a class="button" href="${path}">Cancel</a></div>
    </form>
    ${rule && preview && showParts(preview)}
    ${rule && preview && splitForm(context, { path, rule, preview })}`;
  return { title: 'Split an error', tab: 'groups', main, ...(problems && { status: 400 }) };
}

function showParts(preview: SplitPreview): Html {
  const part = (title: string, { events, titles }: SplitPreview['with']) =>
    section(
      `${title}: ${countOf(events, 'event')}`,
      html`<ul class="list">${titles.map((each) => html`<li><span class="wrap">${errorName(each)}</span></li>`)}</ul>`,
    );
  return html`${part('The new error', preview.with)}${part('What stays', preview.without)}`;
}

type Confirmation = { readonly path: string; readonly rule: Rule; readonly preview: SplitPreview };

function splitForm(context: PageContext, { path, rule, preview }: Confirmation): Html {
  if (preview.with.events === 0 || preview.without.events === 0) {
    return html`<p class="notice">Nothing to split: give a word or a value that only one part has.</p>`;
  }
  return confirmForm(context, {
    action: `${path}/split`,
    content: html`${hiddenField('field', rule.field)}${hiddenField('value', rule.value)}`,
    reason: context.form.get('reason'),
    submit: 'Split',
    cancel: path,
  });
}

/**
 * `POST /groups/:fingerprint/split {field, value, reason}`: splits an error by a word or a value; without
 * them, splits a merged error off again.
 */
export async function splitByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect | Page> {
  const { params, form, caller } = context;
  const [field, value] = [form.get('field'), form.get('value')];
  try {
    const by = field === null ? {} : { by: { field, value } };
    const { by: rule, reason } = validate(SplitSchema, { ...by, reason: form.get('reason') ?? '' });
    const change = { fingerprint: params.fingerprint ?? '', actor: caller.name, reason };
    const group = rule ? await splitByRule(deps.db, { ...change, rule }) : await splitGroup(deps.db, change);
    return { to: groupPath(group), notice: 'Split: an error of its own.' };
  } catch (error) {
    if (field === null) throw error;
    return showForm(deps, context, { field, value, problems: problemsOf(error) });
  }
}
