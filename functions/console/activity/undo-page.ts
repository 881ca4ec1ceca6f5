import { validate } from '../../../shared/config/validate.ts';
import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { InputError, NotFoundError } from '../../../shared/errors.ts';
import { findUndoable, keptBecause, UndoSchema } from '../../../shared/events/actions/undo-events.ts';
import { type AuditEntry, listAudit } from '../../../shared/events/audit.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { undoAction } from '../../../shared/targets/undo-action.ts';
import { countList, facts } from '../components/facts.ts';
import { confirmForm } from '../components/form.ts';
import { moment } from '../components/format.ts';
import { pageHead, section } from '../components/section.ts';
import { listProblems, problemsOf } from '../error-page.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext, Redirect } from '../page.ts';
import { describeObject, nameAction } from './action-words.ts';

/** `POST /activity/:id/undo {reason}`: undoes an action, or shows what stands in its way. */
export async function undoByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect | Page> {
  const { form, params, caller } = context;
  try {
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
  } catch (error) {
    return undoPage(deps, context, error);
  }
}

/** `GET /activity/:id/undo`: previews the undo of an action. Changes nothing. */
export async function undoPage(deps: ConsoleDeps, context: PageContext, error?: unknown): Promise<Page> {
  const { caller, params } = context;
  const entry = await readEntry(deps, params.id);
  const { kept, remaining } = await undoAction(deps, {
    id: entry.id,
    actor: caller.name,
    reason: '',
    dryRun: true,
  });
  const isHold = entry.action === 'hold target' || entry.action === 'stop';
  const title = isHold ? 'Start deliveries again' : `Undo for ${countOf(remaining, 'event')}`;
  const reason = error instanceof InputError ? undefined : context.form.get('reason');
  const main = html`${pageHead(title, [['Activity', 'activity'], [entry.id]])}
    ${error !== undefined && listProblems(problemsOf(error))}
    <div class="columns"><div>${section('Action', actionFacts(entry))}${keptSection(kept)}</div><div>
      <p>${isHold ? 'What this action holds still is released.' : 'Exactly these events return to the state and the time that they had before.'}</p>
      ${confirmForm(context, {
        action: `activity/${entry.id}/undo`,
        reason,
        submit: (isHold || remaining > 0) && title,
        cancel: 'activity',
      })}
    </div></div>`;
  return { title, tab: 'activity', main, ...(error !== undefined && { status: 400 }) };
}

async function readEntry(deps: ConsoleDeps, id: string | undefined): Promise<AuditEntry> {
  const auditId = readId(id);
  const before = auditId === undefined ? '0' : `${BigInt(auditId) + 1n}`;
  const [entry] = await listAudit(deps, {}, { before, max: 1 });
  if (entry?.id === auditId && entry) return entry;
  throw new NotFoundError('There is no such action.');
}

function actionFacts(entry: AuditEntry): Html {
  return facts([
    ['What', html`${nameAction(entry)} ${describeObject(entry)}`],
    ['Who', entry.actor],
    ['When', moment(entry.at)],
    ['Why', entry.reason],
  ]);
}

function keptSection(kept: Readonly<Record<string, number>>): Html | false {
  const counts = Object.entries(kept).map(
    ([why, events]) => [keptBecause[why as keyof typeof keptBecause], events] as const,
  );
  return counts.length > 0 && section('Stays as it is', countList(counts));
}
