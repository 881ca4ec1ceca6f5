import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { type Group, requireGroup } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { MergeSchema, mergeGroup } from '../../../shared/groups/merge-groups.ts';
import { errorName } from '../components/error-name.ts';
import { confirmForm, radioField, textField } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { nameTypes } from '../components/group-cells.ts';
import { groupPath } from '../components/links.ts';
import { pageHead } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';

const maxShown = 50;

/**
 * `GET /groups/:fingerprint/merge`: the errors that this one can be merged into. Changes nothing. Throws a
 * NotFoundError.
 */
export async function mergePage({ db }: ConsoleDeps, context: PageContext): Promise<Page> {
  const { fingerprint, title } = await requireGroup(db, context.params.fingerprint ?? '');
  const path = groupPath(fingerprint);
  const states = ['OPEN', 'ACKNOWLEDGED', 'REGRESSED', 'MUTED'] as const;
  const position = { until: context.now, limit: maxShown, afterKey: null, afterFingerprint: null };
  const own = { folded: [fingerprint], words: [], owner: null };
  const others = await listGroups(db, { states, order: 'recent', ...position, ...own });
  const label = others.length > 0 ? 'Or its fingerprint' : 'Fingerprint of the other error';
  const content = html`${others.length > 0 && candidates(others)}
    ${textField({ name: 'other', label, value: context.form.get('other'), maxLength: 100 })}`;
  const main = html`${pageHead('Merge into another error', [
    ['Errors', 'groups'],
    [fingerprint, path],
  ])}
    <p><strong>${errorName(title)}</strong> and all its later failures count for the error that you choose, whose
      state, owner and note apply. Its events stay unchanged, and you can split it again.</p>
    ${confirmForm(context, { action: `${path}/merge`, content, submit: 'Merge', cancel: path })}`;
  return { title: 'Merge an error', tab: 'groups', main };
}

function candidates(groups: readonly Group[]): Html {
  const options = groups.map((group) => {
    const more = `${nameTypes(group)}, ${countOf(group.failures, 'failure')}`;
    return {
      value: group.fingerprint,
      text: html`<span class="error-title">${errorName(group.title)}</span>`,
      more: html`<span class="muted small">${more}, last seen ${ago(group.lastSeenAt)}</span>`,
    };
  });
  return radioField({ name: 'into', label: 'Into', options });
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
