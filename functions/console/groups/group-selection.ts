import { validate } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { InputError } from '../../../shared/errors.ts';
import { changeGroups, GroupChangesSchema } from '../../../shared/groups/change-groups.ts';
import type { ListedGroup } from '../../../shared/groups/error-groups.ts';
import { postForm, selectField, textField } from '../components/form.ts';
import { checkboxColumn } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import { endOfMute, mutes } from './mutes.ts';

/** The states to which selected groups change, each with its button and its key. */
const changes = [
  ['ACKNOWLEDGED', 'Acknowledge', 'a'],
  ['RESOLVED', 'Resolve', 'e'],
  ['OPEN', 'Reopen', 'o'],
] as const;

/** The checkbox of a group, and that of all groups of the page. */
export const groupCheckboxes = checkboxColumn(
  'fingerprint',
  ({ fingerprint, title }: Pick<ListedGroup, 'fingerprint' | 'title'>) => ({
    value: fingerprint,
    label: title ?? fingerprint,
  }),
);

/** A table of groups with the actions on them; viewers see the table. */
export function groupSelectionForm(rows: Content, context: PageContext): Content {
  if (!context.caller.isOperator) return rows;
  const buttons = changes.map(
    ([state, text, key]) => html`<button name="command" value="${state}" data-key="${key}">${text}</button>`,
  );
  const more: Html = html`<details class="more-actions"><summary>Mute, owner, reason</summary><div class="actions mute">
      ${selectField({ name: 'mute', label: 'Mute', options: mutes })}<button name="command" value="MUTED" data-key="m">Mute</button>
      ${textField({ name: 'owner', label: 'Owner', maxLength: 200 })}<button name="command" value="owner">Set owner</button>
      ${textField({ name: 'reason', label: 'Reason (optional)', maxLength: 1000 })}</div></details>`;
  return postForm(context, {
    action: 'groups/selection',
    className: 'selection',
    content: html`<input type="hidden" name="back" value="${`groups?${context.query}`}">
      <div class="actions action-bar"><button name="command" value="replay" data-key="r">Replay…</button>${buttons}${more}
      <span class="muted small" data-selection-count aria-live="polite"></span><button type="button" class="link small" data-clear-selection hidden>Clear</button></div>${rows}`,
  });
}

/**
 * `POST /groups/selection {command, fingerprint, mute, owner, reason}`: changes the selected groups, or
 * previews a replay of their events.
 */
export async function changeSelected({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { form, caller } = context;
  const fingerprints = form.getAll('fingerprint');
  const sent = form.get('back') ?? '';
  const back = /^groups(\?|$)/.test(sent) ? sent : 'groups';
  if (fingerprints.length === 0) return { to: back, notice: 'No error is selected: select errors first.' };
  const command = form.get('command') ?? '';
  if (command === 'replay') {
    const q = `fingerprint:${fingerprints.join(',')} status:PENDING,FAILED_PERMANENTLY`;
    return { to: `runs/new?${new URLSearchParams({ q })}` };
  }
  const { change } = validate(GroupChangesSchema, { fingerprints, change: readChange(command, context) });
  const changed = await changeGroups(db, fingerprints, { ...change, actor: caller.name });
  const became = change.state ? `now ${change.state.toLowerCase()}` : 'given to the owner';
  return { to: back, notice: `${countOf(changed.length, 'error is', 'errors are')} ${became}.` };
}

function readChange(command: string, { form, now }: PageContext) {
  const reason = form.get('reason') ?? undefined;
  if (command === 'owner') return { owner: form.get('owner') ?? '', reason };
  if (command === 'MUTED') return { state: command, mutedUntil: endOfMute(form.get('mute'), now), reason };
  if (changes.some(([state]) => state === command)) return { state: command, reason };
  const known = [...changes.map(([state]) => state), 'MUTED', 'owner', 'replay'];
  throw new InputError([{ field: 'command', value: command, remedy: `Use one of ${known.join(', ')}.` }]);
}
