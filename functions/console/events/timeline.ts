import type { AuditEntry } from '../../../shared/events/audit.ts';
import type { AttemptSummary } from '../../../shared/events/list-events.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { nameAction } from '../activity/action-words.ts';
import { formatDuration, moment } from '../components/format.ts';
import { type Icon, icon } from '../components/icon.ts';
import { outcomes } from '../components/marks.ts';
import { collapsible } from '../components/section.ts';
import { foldAlike } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';

/** An entry of a history: what happened at a time, and more about it. */
export type Entry = {
  readonly at: Date;
  readonly icon: Icon;
  readonly tone: string;
  readonly text: Content;
  readonly more?: Content;
  /** Equal for entries that say the same: of several in a row only the latest is shown in full. */
  readonly kind?: string;
};

/** The history of an event, latest first: captures, deliveries and actions of operators. */
export function timeline(
  event: EventView,
  attempts: readonly AttemptSummary[],
  actions: readonly AuditEntry[],
): Html {
  const captures = [...showRecurrences(event), showFirstCapture(event)];
  const entries = [...attempts.map(showAttempt), ...actions.map(showAction), ...captures];
  return listEntries(foldEqual(entries.toSorted((a, b) => b.at.getTime() - a.at.getTime())));
}

const minFolded = 3;

/** Runs of at least three entries that say the same, each folded into its latest one. */
function foldEqual(entries: readonly Entry[]): readonly Entry[] {
  const parts = foldAlike(entries, (entry) => entry.kind ?? entry, minFolded);
  return parts.flatMap(({ shown, folded }) => {
    const since = folded.at(-1)?.at;
    if (!since) return shown;
    const words = html`${folded.length} earlier ones alike, since ${moment(since)}`;
    const earlier = collapsible(words, listEntries(folded));
    return shown.map((latest) => ({ ...latest, more: html`${latest.more}${earlier}` }));
  });
}

/** The entries of a history, in the given order. */
export function listEntries(entries: readonly Entry[]): Html {
  return html`<ol class="timeline">${entries.map(
    (entry) => html`<li class="${entry.tone}">${icon(entry.icon)}<div>
      <p><span class="wrap">${entry.text}</span> ${moment(entry.at)}</p>${entry.more}</div></li>`,
  )}</ol>`;
}

/** An action of an operator, with the reason. */
export function actionEntry(at: Date, text: Content, reason: string | null): Entry {
  const more = reason && html`<p class="answer">${reason}</p>`;
  return { at, icon: 'acknowledged', tone: 'busy', text, more };
}

/** The capture that made an event. */
export function showFirstCapture({ createdAt, sourceTopic, sourceKind, editedFrom }: EventView): Entry {
  const text =
    editedFrom === null
      ? html`<strong>Captured</strong> from ${sourceTopic ?? sourceKind}`
      : html`<strong>Edited</strong> from <a href="events/${editedFrom}">event ${editedFrom}</a>`;
  return { at: createdAt, icon: 'open', tone: 'waiting', text };
}

function showRecurrences({ failureCount, failedAt }: EventView): Entry[] {
  if (failureCount === 1) return [];
  const text = html`<strong>Recurred</strong>${failureCount > 2 && ` ${failureCount - 1} times`}`;
  return [{ at: failedAt, icon: 'recurred', tone: 'bad', text }];
}

const outcomeWords = {
  delivered: 'Delivered',
  transient: 'Transient failure',
  ambiguous: 'No response, may have been processed',
  permanent: 'Permanent failure',
  lost: 'Worker lost',
} as const;

function showAttempt(attempt: AttemptSummary): Entry {
  const [shape, tone] = outcomes[attempt.outcome];
  const run = attempt.runId && html` · <a href="runs/${attempt.runId}">run ${attempt.runId}</a>`;
  const answer = attempt.responseStatus === null ? attempt.error : `HTTP ${attempt.responseStatus}`;
  const omitted = attempt.outcome === 'delivered' && attempt.error;
  return {
    at: attempt.startedAt,
    icon: shape,
    tone,
    kind: JSON.stringify([attempt.outcome, answer, attempt.responseBody]),
    text: html`<strong>${outcomeWords[attempt.outcome]}</strong>${answer && ` · ${answer}`} · ${formatDuration(attempt.durationMs)}${run}`,
    more: html`${omitted && html`<p class="answer">${omitted}</p>`}${attempt.responseBody && html`<p class="answer"><code>${attempt.responseBody}</code></p>`}`,
  };
}

function showAction(entry: AuditEntry): Entry {
  const { at, actor, reason, runId } = entry;
  const run = runId && html` · <a href="runs/${runId}">run ${runId}</a>`;
  return actionEntry(at, html`<strong>${actor}</strong> ${nameAction(entry)}${run}`, reason);
}
