import { countOf } from '../../../shared/count-of.ts';
import type { EventSummary } from '../../../shared/events/event-columns.ts';
import type { GroupState } from '../../../shared/groups/error-groups.ts';
import type { Status } from '../../../shared/message/event.ts';
import type { ListedRun } from '../../../shared/replay/list-runs.ts';
import { type Html, html } from '../html.ts';
import { type Icon, icon } from './icon.ts';

const looks: Readonly<Record<Status | GroupState, readonly [icon: Icon, tone: string]>> = {
  PENDING: ['pending', 'waiting'],
  PROCESSING: ['processing', 'busy'],
  SUCCEEDED: ['succeeded', 'good'],
  FAILED_PERMANENTLY: ['failed', 'bad'],
  DISCARDED: ['discarded', 'quiet'],
  OPEN: ['open', 'quiet'],
  ACKNOWLEDGED: ['acknowledged', 'busy'],
  MUTED: ['muted', 'quiet'],
  RESOLVED: ['succeeded', 'good'],
  REGRESSED: ['recurred', 'bad'],
};

/** An icon and a word in a tone: `good`, `bad`, `waiting`, `busy` or `quiet`. */
export function mark(shape: Icon, tone: string, word: string): Html {
  return html`<span class="mark ${tone}">${icon(shape)}${word}</span>`;
}

/**
 * The status of an event or the state of an error group. A group that was not aggregated yet has none, and is
 * open.
 */
export function status(of: Status | GroupState | null): Html {
  const name = of ?? 'OPEN';
  return mark(...looks[name], name === 'OPEN' ? 'unresolved' : name.toLowerCase().replace('_', ' '));
}

/** The outcomes of deliveries and of the events of a run, each with its look. */
export const outcomes = {
  delivered: ['succeeded', 'good'],
  recovered: ['succeeded', 'good'],
  failed: ['failed', 'bad'],
  permanent: ['failed', 'bad'],
  lost: ['failed', 'bad'],
  recurred: ['recurred', 'bad'],
  transient: ['pending', 'waiting'],
  ambiguous: ['pending', 'waiting'],
  waiting: ['pending', 'waiting'],
  skipped: ['discarded', 'quiet'],
  'in flight': ['processing', 'busy'],
} as const satisfies Record<string, readonly [icon: Icon, tone: string]>;

export type Outcome = keyof typeof outcomes;

/** An outcome, by default in its own word. */
export function outcomeMark(outcome: Outcome, word?: string | null): Html {
  const [shape, tone] = outcomes[outcome];
  return mark(shape, tone, word ?? outcome);
}

/** Marks an edit, and an event that an edit replaced. */
export function editBadge(event: Pick<EventSummary, 'editedFrom' | 'replacedBy'>): Html | false {
  if (event.replacedBy !== null) return html`<span class="badge">replaced</span>`;
  return event.editedFrom !== null && html`<span class="badge">edited</span>`;
}

/** Whether a run is running, paused or ended, and with which result. */
export function runState({ state, stopped, progress }: ListedRun): Html {
  if (state === 'scheduled') return mark('pending', 'waiting', 'scheduled');
  if (state === 'running') return mark('running', 'busy', 'running');
  if (state === 'paused') return mark('paused', 'waiting', 'paused');
  if (stopped === 'cancelled' || stopped === 'time over') return mark('discarded', 'quiet', stopped);
  if (progress.delivered + progress.failed === 0) return mark('discarded', 'quiet', 'nothing sent');
  if (progress.failed > 0)
    return mark('failed', 'bad', `completed with ${countOf(progress.failed, 'failure')}`);
  if (progress.delivered === 0) return mark('discarded', 'quiet', 'delivered nothing');
  return mark('succeeded', 'good', 'completed');
}
