import { validate } from '../../../shared/config/validate.ts';
import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { findUndoable, keptBecause, UndoSchema } from '../../../shared/events/actions/undo-events.ts';
import { type AuditEntry, listAudit } from '../../../shared/events/audit.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { undoAction } from '../../../shared/targets/undo-action.ts';
import { countList, facts } from '../components/facts.ts';
import { confirmForm } from '../components/form.ts';
import { moment } from '../components/format.ts';
import { columns, pageHead, section } from '../components/section.ts';
import { html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { describeObject, nameAction } from './action-words.ts';

/** `POST /activity/:id/undo {reason}`: undoes an action. */
export async function undoByForm(
  deps: ConsoleDeps,
  { form, params, caller }: PageContext,
): Promise<Redirect> {
  const { reason } = validate(UndoSchema, { reason: form.get('reason') ?? '' });
  const undo = { id: params.id ?? '', actor: caller.name, reason, dryRun: false };
  const { changed, remaining, kept } = await undoAction(deps, undo);
  const { hasEvents } = await findUndoable(deps.db, undo.id);
  const sentences = [
    hasEvents ? `Undone: ${countOf(changed, 'event is', 'events are')} as before.` : 'Deliveries go on.',
    ...Object.entries(kept).map(([why, events]) => `${formatNumber(events)} left: ${why}.`),
    ...(remaining > 0 ? [`Time ran out for ${countOf(remaining, 'event')}: undo again for the rest.`] : []),
  ];
  return { to: 'activity', notice: sentences.join(' ') };
}

/** `GET /activity/:id/undo`: previews the undo of an action. Changes nothing. */
export async function undoPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const entry = await readEntry(deps, context.params.id);
  const dry = { id: entry.id, actor: context.caller.name, reason: '', dryRun: true };
  const { kept, remaining } = await undoAction(deps, dry);
  const isHold = entry.action === 'hold target' || entry.action === 'stop';
  const title = isHold ? 'Start deliveries again' : `Undo for ${countOf(remaining, 'event')}`;
  const action = facts([
    ['What', html`${nameAction(entry)} ${describeObject(entry)}`],
    ['Who', entry.actor],
    ['When', moment(entry.at)],
    ['Why', entry.reason],
  ]);
  const reasons = keptBecause as Readonly<Record<string, string>>;
  const counts = Object.entries(kept).map(([why, events]) => [reasons[why], events] as const);
  const stays = counts.length > 0 && section('Stays as it is', countList(counts));
  const effect = isHold
    ? 'What this action holds still is released.'
    : 'Exactly these events return to the state and the time that they had before.';
  const submit = (isHold || remaining > 0) && title;
  const form = confirmForm(context, { action: `activity/${entry.id}/undo`, submit, cancel: 'activity' });
  const main = html`${pageHead(title, [['Activity', 'activity'], [entry.id]])}
    ${columns(html`${section('Action', action)}${stays}`, html`<p>${effect}</p>${form}`)}`;
  return { title, tab: 'activity', main };
}

async function readEntry(deps: ConsoleDeps, id: string | undefined): Promise<AuditEntry> {
  const auditId = readId(id);
  const before = auditId === undefined ? '0' : `${BigInt(auditId) + 1n}`;
  const [entry] = await listAudit(deps, {}, { before, max: 1 });
  if (entry?.id === auditId && entry) return entry;
  throw new NotFoundError('There is no such action.');
}
