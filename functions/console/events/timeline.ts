import type { AuditEntry } from '../../../shared/audit.ts';
import { type Content, type Html, html } from '../html.ts';
import { type Icon, icon } from '../parts/icon.ts';
import { formatDuration, moment } from '../parts/time.ts';
import type { Attempt } from './history.ts';
import type { EventView } from './read-event.ts';

type Entry = {
  readonly at: Date;
  readonly icon: Icon;
  readonly tone: string;
  readonly text: Content;
  readonly more?: Content;
};

/** All that happened to an event, the latest first: its captures, its deliveries, and what people did. */
export function timeline(event: EventView, attempts: readonly Attempt[], acts: readonly AuditEntry[]): Html {
  const entries = [...attempts.map(showAttempt), ...acts.map(showAct), ...showCaptures(event)];
  const latestFirst = entries.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  return html`<ol class="timeline">${latestFirst.map(
    (entry) => html`<li class="${entry.tone}">${icon(entry.icon)}<div>
      <p><span class="wrap">${entry.text}</span> ${moment(entry.at)}</p>${entry.more}</div></li>`,
  )}</ol>`;
}

function showCaptures(event: EventView): Entry[] {
  const first: Entry = {
    at: event.created_at,
    icon: 'open',
    tone: 'waiting',
    text: html`<strong>Captured</strong> from ${event.source_topic ?? event.source_kind}`,
  };
  if (event.failure_count === 1) return [first];
  const back = event.failure_count - 1;
  const text = html`<strong>Came back</strong>${back > 1 && ` for the ${back}th time`}`;
  return [{ at: event.last_failure_at, icon: 'returned', tone: 'bad', text }, first];
}

const outcomes = {
  delivered: ['succeeded', 'good', 'Delivered'],
  transient: ['pending', 'waiting', 'Failed, may pass later'],
  ambiguous: ['pending', 'waiting', 'No answer, may have been processed'],
  permanent: ['failed', 'bad', 'Refused for good'],
  lost: ['failed', 'bad', 'Worker lost'],
} as const;

function showAttempt(attempt: Attempt): Entry {
  const [shape, tone, words] = outcomes[attempt.outcome];
  const run = attempt.run_id && html` · <a href="runs/${attempt.run_id}">run ${attempt.run_id}</a>`;
  const answer = attempt.response_status === null ? attempt.error : `HTTP ${attempt.response_status}`;
  return {
    at: attempt.started_at,
    icon: shape,
    tone,
    text: html`<strong>${words}</strong>${answer && ` · ${answer}`} · ${formatDuration(attempt.duration_ms)}${run}`,
    more: attempt.response_body && html`<p class="answer"><code>${attempt.response_body}</code></p>`,
  };
}

const words: Readonly<Record<string, string>> = {
  discard: 'discarded it',
  reopen: 'reopened it',
  reprioritise: 'gave it another priority',
  reveal: 'looked at what is hidden of it',
  'create run': 'replayed it',
};

function showAct({ at, actor, act, reason, runId }: AuditEntry): Entry {
  const run = runId && html` · <a href="runs/${runId}">run ${runId}</a>`;
  return {
    at,
    icon: 'acknowledged',
    tone: 'busy',
    text: html`<strong>${actor}</strong> ${words[act] ?? act}${run}`,
    more: reason && html`<p class="answer">${reason}</p>`,
  };
}
