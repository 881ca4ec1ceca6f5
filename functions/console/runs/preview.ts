import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { nameFailure } from '../../../shared/fingerprint/fingerprint.ts';
import type { Preview } from '../../../shared/replay/preview-run.ts';
import { errorName } from '../components/error-name.ts';
import { countList, stat } from '../components/facts.ts';
import { status } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { type Column, table } from '../components/table.ts';
import { describeTarget, isUnreachable, linkTarget } from '../components/target-state.ts';
import { bodyText, showDiff } from '../edit/show-diff.ts';
import { type Content, type Html, html } from '../html.ts';

/** The effect of a replay: warnings, targets, event types, errors and the first events. */
export function previewSections(preview: Preview, now: Date): Html {
  return html`${warnings(preview, now)}${waitingWarnings(preview)}${limitWarnings(preview)}
    ${section('Targets', table('', preview.targets, [['Target', 'wrap', nameTarget], eventsColumn]))}
    ${section('Event types', groupTable('Event type', preview.eventTypes))}
    ${section('Errors', groupTable('Error', preview.errorGroups))}
    ${preview.samples.length > 0 && preview.fit === null && section('First events', samples(preview))}`;
}

/** How many events are selected, can go now, and are held back or do not fit the patch. */
export function previewNumbers({ selected, targets, waiting, fit }: Preview): Html {
  const stopped = targets.reduce((sum, { events, state }) => sum + (isUnreachable(state) ? events : 0), 0);
  const blocked = waiting.find(({ reason }) => reason === 'blocked')?.events ?? 0;
  const misfits = fit?.doesNotFit ?? 0;
  const held = Math.min(selected, stopped + blocked + misfits);
  const reached = countOf(targets.length, 'target');
  return html`<div class="stats">${stat('Selected', selected, { note: 'fixed when the replay starts' })}
    ${stat('Can go now', selected - held, { note: `to ${reached}` })}
    ${stat('Held back', held, { note: held > 0 ? 'see the reasons' : 'nothing', tone: held > 0 && 'needs-you' })}</div>`;
}

const eventsColumn: Column<{ readonly events: number }> = [
  'Events',
  'num',
  ({ events }) => formatNumber(events),
];

function nameTarget({ target, subscriptions }: Preview['targets'][number]): Html {
  return html`${linkTarget(target)}${subscriptions && html`<div class="muted small">${countOf(subscriptions, 'subscription')}</div>`}`;
}

/** The reasons of exclusions in words. */
export const exclusionReasons: Readonly<Record<Preview['excluded'][number]['reason'], string>> = {
  leased: 'being delivered now',
  delivered: 'already delivered',
  discarded: 'discarded',
  'no-route': 'no route matches',
};

/** The number of excluded events by reason. */
export function excludedSection({ excluded }: Preview): Html | false {
  if (excluded.length === 0) return false;
  const counts = excluded.map(({ events, reason }) => [exclusionReasons[reason], events] as const);
  return section('Excluded', countList(counts));
}

function warnings({ targets }: Preview, now: Date): Content {
  return targets.map(({ target, advice, state, events }) => [
    advice && html`<p class="warning"><b class="wrap">${target}</b>: ${advice}</p>`,
    isUnreachable(state) &&
      html`<p class="warning">${linkTarget(target)} is <b>${state.state}</b>, ${describeTarget(state, now)}: ${countOf(events, 'event waits', 'events wait')} for it.</p>`,
  ]);
}

/** The events that cannot go now; those of targets have their own warning. */
function waitingWarnings({ waiting, selected }: Preview): Content {
  return waiting
    .filter(({ reason }) => reason === 'blocked')
    .map(({ events, checked, example, meaning }) => {
      const of = checked < selected ? ` of the first ${formatNumber(checked)}` : '';
      return html`<p class="warning"><b>${countOf(events, 'event')}</b>${of} cannot go now. ${meaning} <a href="events/${example}">Event ${example}</a></p>`;
    });
}

const effects: Readonly<Record<Preview['limits']['found'][number]['effect'], string>> = {
  'not-sent': 'cannot be sent and will fail permanently',
  omitted: 'will be sent without a part',
  changed: 'will be sent with a part in another notation',
  'may-fail': 'may be rejected',
};

/** The parts of the events that targets do not take, with one event as an example. */
function limitWarnings({ limits: { checked, found }, selected }: Preview): Content {
  const of = checked < selected ? html` of the first ${formatNumber(checked)}` : '';
  return found.map(
    ({ target, effect, detail, events, example }) =>
      html`<p class="warning"><b class="wrap">${target}</b>: ${countOf(events, 'event')}${of} ${effects[effect]}. ${detail} <a href="events/${example}">Event ${example}</a></p>`,
  );
}

function groupTable(name: string, { count, largest }: Preview['errorGroups']): Html {
  const rest = count - largest.length;
  return html`${table('', largest, [[name, 'wrap', nameGroup], eventsColumn])}${rest > 0 && html`<p class="hint">and ${formatNumber(rest)} more</p>`}`;
}

/** An event type, or an error as a link to its group. */
function nameGroup({ value, errorClass, errorReason }: Preview['errorGroups']['largest'][number]): Content {
  if (errorReason === undefined) return value;
  const error = { errorClass: errorClass ?? null, errorReason, errorStacktrace: null };
  const words = errorName(nameFailure({ ...error, eventType: '', consumer: null }).title);
  return value === null
    ? words
    : html`<a class="title plain-title" href="groups/${encodeURIComponent(value)}">${words}</a>`;
}

function samples({ samples }: Preview): Html {
  return table('groups', samples, [
    [
      'Event',
      '',
      ({ id, eventType, errorReason }) =>
        html`<a class="title" href="events/${id}">${eventType}</a> <span class="muted small">${id}</span><div class="muted small truncate">${errorReason}</div>`,
    ],
    ['Status', 'state', (sample) => status(sample.status)],
  ]);
}

type Sample = Preview['samples'][number];

/** The first events before and after a patch, masked by their routes. */
export function patchedSamples({ samples }: Preview): Html | false {
  const patched = samples.filter(({ after, skipped, omittedBytes }) => after ?? skipped ?? omittedBytes);
  if (patched.length === 0) return false;
  return section('First events after the patch', patched.map(showSample));
}

function showChangedBody(before: string, after: string): Html {
  return before === after ? html`<p class="hint">No change of the payload.</p>` : showDiff(before, after);
}

function showSample({ id, eventType, before, after, skipped, omittedBytes }: Sample): Html {
  return html`<h3><a href="events/${id}">${eventType}</a> <span class="muted small">${id}</span></h3>
    ${skipped && html`<p class="hint">Excluded: ${skipped.detail}</p>`}
    ${omittedBytes !== undefined && html`<p class="hint">A message of ${formatNumber(omittedBytes)} bytes: its change is not shown here.</p>`}
    ${after && showChangedBody(bodyText(before?.body ?? ''), bodyText(after.body ?? ''))}`;
}
