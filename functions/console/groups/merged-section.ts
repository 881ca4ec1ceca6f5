import type * as v from 'valibot';
import { countOf } from '../../../shared/count-of.ts';
import type { MergedGroupSchema } from '../../../shared/groups/merge-groups.ts';
import { errorName } from '../components/error-name.ts';
import { postForm, textField } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { collapsible, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';

type MergedGroup = v.InferOutput<typeof MergedGroupSchema>;

/** The errors that were merged into one, each with a form for operators to split it off again. */
export function mergedSection(groups: readonly MergedGroup[], context: PageContext): Html | false {
  if (groups.length === 0) return false;
  const lines = groups.map(
    (group) =>
      html`<li><div><span class="wrap">${errorName(group.title ?? 'A new error')}</span>
        <div class="muted small">${countOf(group.failures, 'failure')}, last seen ${ago(group.lastSeenAt, context.now)}</div>
        ${context.caller.isOperator && splitForm(group, context)}</div></li>`,
  );
  return section(
    'Merged',
    html`<p class="hint">Their events and later failures count for this error.</p><ul class="list">${lines}</ul>`,
  );
}

function splitForm({ fingerprint }: MergedGroup, context: PageContext): Html {
  const form = postForm(context, {
    action: `groups/${encodeURIComponent(fingerprint)}/split`,
    className: 'side-form',
    content: html`${textField({ name: 'reason', label: 'Reason', isRequired: true, maxLength: 1000 })}<div class="actions"><button>Split</button></div>`,
  });
  return collapsible('Split…', form);
}
