import { countOf } from '../../../shared/count-of.ts';
import type { EventSummary } from '../../../shared/events/event-columns.ts';
import type { ListedRun } from '../../../shared/replay/run.ts';
import { type Html, html } from '../html.ts';

/** The states that look alike: an icon in a tone. */
const looks = [
  ['succeeded', 'good', ['SUCCEEDED', 'RESOLVED', 'finished', 'delivered', 'completed', 'up', 'delivers']],
  ['failed', 'bad', ['FAILED_PERMANENTLY', 'failed', 'permanent', 'lost']],
  ['failed', 'bad', ['down', 'nothing-delivered', 'needs review']],
  ['recurred', 'bad', ['REGRESSED', 'recurred']],
  ['pending', 'waiting', ['PENDING', 'waiting', 'transient', 'ambiguous', 'scheduled', 'held back']],
  ['pending', 'quiet', ['unused', 'waits for a route']],
  ['processing', 'busy', ['PROCESSING', 'in flight']],
  ['processing', 'waiting', ['probing', 'probes']],
  ['paused', 'waiting', ['paused', 'held']],
  ['running', 'busy', ['running']],
  ['discarded', 'quiet', ['DISCARDED', 'skipped', 'cancelled', 'time over', 'nothing sent']],
  ['open', 'quiet', ['OPEN']],
  ['open', 'waiting', ['captured']],
  ['acknowledged', 'busy', ['ACKNOWLEDGED', 'changed']],
  ['muted', 'quiet', ['MUTED']],
] as const satisfies readonly (readonly [icon: Icon, tone: string, states: readonly string[]])[];

/** A state of an event, error, delivery, target or run. */
export type State = (typeof looks)[number][2][number];

/** How each state looks. */
export const lookOf = Object.fromEntries(
  looks.flatMap(([shape, tone, states]) => states.map((state) => [state, { icon: shape, tone }])),
) as Readonly<Record<State, { readonly icon: Icon; readonly tone: string }>>;

/** A state as an icon and a word in its tone. */
export function mark(state: State, word: string = nameState(state)): Html {
  const { icon: shape, tone } = lookOf[state];
  return html`<span class="mark ${tone}">${icon(shape)}${word}</span>`;
}

function nameState(state: State): string {
  if (state === 'unused') return 'not used yet';
  return state === 'OPEN' ? 'unresolved' : state.toLowerCase().replace(/[_-]/, ' ');
}

/** Marks an edit, and an event that an edit replaced. */
export function editBadge(event: Pick<EventSummary, 'editedFrom' | 'replacedBy'>): Html | false {
  if (event.replacedBy !== null) return html`<span class="badge">replaced</span>`;
  return event.editedFrom !== null && html`<span class="badge">edited</span>`;
}

/** Whether a run is running, paused or ended, and with which result. */
export function runState({ state, stopped, progress: { delivered, failed } }: ListedRun): Html {
  if (state !== 'ended') return mark(state);
  if (stopped === 'cancelled' || stopped === 'time over') return mark(stopped);
  if (failed > 0) return mark('failed', `completed with ${countOf(failed, 'failure')}`);
  return mark(delivered > 0 ? 'completed' : 'nothing sent');
}

/** Drawn on a grid of 16 with strokes of 1.5. */
const paths = {
  pending: html`<circle cx="8" cy="8" r="5.75"/><path d="M8 5v3.2l2 1.3"/>`,
  processing: html`<circle cx="8" cy="8" r="5.75"/><path d="M8 2.25a5.75 5.75 0 0 1 0 11.5z" fill="currentColor"/>`,
  succeeded: html`<circle cx="8" cy="8" r="5.75"/><path d="m5.5 8.2 1.8 1.8 3.4-3.8"/>`,
  failed: html`<path d="M5.4 1.9h5.2l3.5 3.5v5.2l-3.5 3.5H5.4l-3.5-3.5V5.4z"/><path d="m6 6 4 4m0-4-4 4"/>`,
  discarded: html`<circle cx="8" cy="8" r="5.75"/><path d="m4 12 8-8"/>`,
  open: html`<path d="M8 1.9 14.6 13.4H1.4z"/><path d="M8 6.4v3m0 1.9v.1"/>`,
  acknowledged: html`<path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z"/><circle cx="8" cy="8" r="1.8"/>`,
  muted: html`<path d="M4.5 11V7a3.5 3.5 0 0 1 7 0v4l1.2 1.5H3.3zM6.8 14.3h2.4M2 2l12 12"/>`,
  recurred: html`<path d="M3 7.5h7.2a3 3 0 0 1 0 6H7M3 7.5 6 4.4M3 7.5l3 3.1"/>`,
  paused: html`<path d="M6 3.5v9m4-9v9"/>`,
  running: html`<path d="M5 3v10l8-5z"/>`,
  replay: html`<path d="M13.2 8A5.2 5.2 0 1 1 11.5 4.1M13.4 1.8v3.1h-3.1"/>`,
} as const;

type Icon = keyof typeof paths;

/** A small icon beside a word with the same meaning; screen readers skip it. */
export function icon(name: Icon): Html {
  return html`<svg class="icon icon-${name}" viewBox="0 0 16 16" aria-hidden="true">${paths[name]}</svg>`;
}
