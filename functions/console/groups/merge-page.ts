import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import type { Problem } from '../../../shared/errors.ts';
import { type Group, requireGroup } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { MergeSchema, mergeGroup } from '../../../shared/groups/merge-groups.ts';
import { errorName } from '../components/error-name.ts';
import { confirmForm, radioField, textField } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { groupPath } from '../components/group-cells.ts';
import { pageHead } from '../components/section.ts';
import { listProblems, problemsOf } from '../error-page.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';

const maxShown = 50;

/**
 * `GET /groups/:fingerprint/merge`: the errors that this one can be merged into. Changes nothing. Throws a
 * NotFoundError.
 */
export async function mergePage(
  { db }: ConsoleDeps,
  context: PageContext,
  problems?: readonly Problem[],
): Promise<Page> {
  const { form, now } = context;
  const group = await requireGroup(db, context.params.fingerprint ?? '');
  const states = ['OPEN', 'ACKNOWLEDGED', 'REGRESSED', 'MUTED'] as const;
  const position = { until: now, limit: maxShown, afterKey: null, afterFingerprint: null };
  const own = { folded: [group.fingerprint], words: [], owner: null };
  const others = await listGroups(db, { states, order: 'recent', ...position, ...own });
  const main = html`${pageHead('Merge into another error', [
    ['Errors', 'groups'],
    [group.fingerprint, groupPath(group)],
  ])}
    ${problems && listProblems(problems)}
    <p><strong>${errorName(group.title ?? 'A new error')}</strong> and all its later failures count for the error that you choose, whose
      state, owner and note apply. Its events stay unchanged, and you can split it again.</p>
    ${confirmForm(context, {
      action: `${groupPath(group)}/merge`,
      content: html`${others.length > 0 && candidates(others, now)}
        ${textField({ name: 'other', label: others.length > 0 ? 'Or its fingerprint' : 'Fingerprint of the other error', value: form.get('other'), maxLength: 100 })}`,
      reason: form.get('reason'),
      submit: 'Merge',
      cancel: groupPath(group),
    })}`;
  return { title: 'Merge an error', tab: 'groups', main, ...(problems && { status: 400 }) };
}

function candidates(groups: readonly Group[], now: Date): Html {
  const options = groups.map(({ fingerprint, title, eventTypes, failures, lastSeenAt }) => ({
    value: fingerprint,
    text: html`<span class="error-title">${errorName(title ?? 'A new error')}</span>`,
    more: html`<span class="muted small">${eventTypes.map(({ eventType }) => eventType).join(', ')}, ${countOf(failures, 'failure')}, last seen ${ago(lastSeenAt, now)}</span>`,
  }));
  return radioField({ name: 'into', label: 'Into', options });
}

/** `POST /groups/:fingerprint/merge {into, other, reason}`: merges an error into another one. */
export async function mergeByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect | Page> {
  const { params, form, caller } = context;
  try {
    const into = form.get('other')?.trim() || (form.get('into') ?? '');
    const request = validate(MergeSchema, { into, reason: form.get('reason') ?? '' });
    const change = { fingerprint: params.fingerprint ?? '', actor: caller.name };
    const group = await mergeGroup(deps.db, { ...change, ...request });
    return { to: groupPath(group), notice: 'Merged. Later failures count for this error, too.' };
  } catch (error) {
    return mergePage(deps, context, problemsOf(error));
  }
}
