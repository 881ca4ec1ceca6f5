import { type AuditEntry, isEdit } from '../../../shared/events/audit.ts';
import { collapsible, section } from '../components/section.ts';
import { type MaskedEvent, readMaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps } from '../page.ts';
import { textOf } from './message-text.ts';
import { diffMessages } from './show-diff.ts';

type Known = { readonly actions: readonly AuditEntry[]; readonly isOperator: boolean };

/**
 * On the page of an edit and on that of the event that it replaced: who edited it, why, and the difference of
 * both messages. Masked fields stay masked in both, also for an operator who unmasked one of them.
 */
export async function editedSection(
  deps: Pick<ConsoleDeps, 'db' | 'routes' | 'masks'>,
  { id, editedFrom, replacedBy }: MaskedEvent,
  { actions, isOperator }: Known,
): Promise<Html> {
  const edits = actions.filter(isEdit);
  const part = async (title: string, ids: readonly [original: string, edit: string], entry?: AuditEntry) => {
    const [original, edit] = await Promise.all(ids.map((each) => readMaskedEvent(deps, each)));
    const [name, other] = id === ids[1] ? ['The captured message', ids[0]] : ['The edit', ids[1]];
    const undo = entry && isOperator && html` · <a href="activity/${entry.id}/undo">Undo…</a>`;
    const who =
      entry &&
      html`<strong>${entry.actor}</strong>${entry.runId && html`, <a href="runs/${entry.runId}">run ${entry.runId}</a>`}${entry.reason && `: ${entry.reason}`}. `;
    return section(
      title,
      html`<p>${who}${name}: <a href="events/${other}">event ${other}</a>${undo}</p>
        ${collapsible('The difference', showChange(original, edit), true)}`,
    );
  };
  return html`${replacedBy !== null && (await part('Replaced by an edit', [id, replacedBy], edits[0]))}
    ${editedFrom !== null && (await part('Edited', [editedFrom, id], edits.at(-1)))}`;
}

/** Characters of a message that a page compares; the API returns larger ones. */
const maxLength = 1_048_576;

/**
 * The difference of a message before and after its edit, or why it has none. Masked fields are the same in
 * both.
 */
function showChange(original: MaskedEvent | undefined, edit: MaskedEvent | undefined): Html {
  const hint = (words: string) => html`<p class="hint">${words}</p>`;
  if (!original || !edit) return hint('The event is no longer kept, and with it the difference.');
  const [before, after] = [textOf(original).text, textOf(edit).text];
  if (before.length + after.length > maxLength)
    return hint('The message is too large for a page: the API returns it before and after.');
  const diff = diffMessages(
    { body: before, headers: original.headers },
    { body: after, headers: edit.headers },
  );
  return String(diff).trim() === '' ? hint('No field that you may see differs.') : diff;
}
