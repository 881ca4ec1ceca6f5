import { type AuditEntry, isEdit } from '../../../shared/events/audit.ts';
import type { ShownChange } from '../../../shared/replay/show-change.ts';
import { collapsible, section } from '../components/section.ts';
import { type MaskedEvent, readMaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import { textOf } from './message-text.ts';
import { bodyText, diffMessages } from './show-diff.ts';

/**
 * On the page of an edit and on that of the event that it replaced: who edited it, why, and the difference of
 * both messages. Masked fields stay masked in both, also for an operator who unmasked one of them.
 */
export async function editedSection(
  deps: Pick<ConsoleDeps, 'db' | 'routes' | 'masks'>,
  { id, editedFrom, replacedBy }: MaskedEvent,
  { actions, isOperator }: { readonly actions: readonly AuditEntry[]; readonly isOperator: boolean },
): Promise<Html | false> {
  const edits = actions.filter(isEdit);
  const part = async (title: string, ids: readonly [original: string, edit: string], entry?: AuditEntry) => {
    const [original, edit] = await Promise.all(ids.map((each) => readMaskedEvent(deps, each)));
    const change = showChange({
      ...(original && { before: message(original) }),
      ...(edit && { after: message(edit) }),
    });
    const [from, to] = ids;
    const other = id === to ? from : to;
    const undo = entry && isOperator && html` · <a href="activity/${entry.id}/undo">Undo…</a>`;
    return section(
      title,
      html`<p>${entry && html`<strong>${entry.actor}</strong>${entry.runId && html`, <a href="runs/${entry.runId}">run ${entry.runId}</a>`}${entry.reason && `: ${entry.reason}`}. `}${id === to ? 'The captured message' : 'The edit'}: <a href="events/${other}">event ${other}</a>${undo}</p>
        ${collapsible('The difference', change, true)}`,
    );
  };
  return html`${replacedBy !== null && (await part('Replaced by an edit', [id, replacedBy], edits[0]))}
    ${editedFrom !== null && (await part('Edited', [editedFrom, id], edits.at(-1)))}`;
}

function message(event: MaskedEvent) {
  return { body: textOf(event).text, headers: event.headers };
}

/** Characters of a message that a page compares; the API returns larger ones. */
const maxLength = 1_048_576;

/**
 * The difference of a message before and after its edit, or why it has none. Masked fields are the same in
 * both.
 */
function showChange({ before, after, skipped }: ShownChange): Html {
  if (skipped) return html`<p class="hint">The edit does not fit it: ${skipped.detail}</p>`;
  if (!before || !after)
    return html`<p class="hint">The event is no longer kept, and with it the difference.</p>`;
  const [old, fresh] = [before, after].map(({ body, headers }) => ({ body: bodyText(body), headers }));
  if (!old || !fresh) return html``;
  if (old.body.length + fresh.body.length > maxLength)
    return html`<p class="hint">The message is too large for a page: the API returns it before and after.</p>`;
  const diff = diffMessages(old, fresh);
  return String(diff).trim() === '' ? html`<p class="hint">No field that you may see differs.</p>` : diff;
}
