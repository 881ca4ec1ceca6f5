import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { Preview } from '../../../shared/replay/preview-run.ts';
import { errorName, groupLink } from '../components/error-name.ts';
import { searchLink } from '../components/links.ts';
import { mark, type State } from '../components/marks.ts';
import { countList, section, stat } from '../components/section.ts';
import { describeTarget, isUnreachable, linkTarget } from '../components/target-state.ts';
import { bodyText, showDiff } from '../edit/edits.ts';
import { type Content, type Html, html } from '../html.ts';

type Sample = Preview['samples'][number];

/** The effect of a replay: its numbers, warnings, targets, event types, errors and first events. */
export function previewSections(preview: Preview, isEdit: boolean): Html {
  const { samples, fit, targets, eventTypes, statuses, errorGroups } = preview;
  const patched = samples.filter(({ after, skipped, omittedBytes }) => after ?? skipped ?? omittedBytes);
  return html`${previewNumbers(preview)}${fit && !isEdit && fitSection(fit)}
    ${patched.length > 0 && !isEdit && section('First events after the patch', patched.map(showPatched))}
    ${warnings(preview)}
    ${section('Targets', countList(targets.map((each) => [nameTarget(each), each.events])))}
    ${section('Event types', countGroups(eventTypes))}
    ${section('Statuses', countList(statuses.largest.map(({ value, events }) => [mark(value as State), events])))}
    ${section('Errors', countGroups(errorGroups))}
    ${samples.length > 0 && fit === null && section('First events', countList(samples.map(listSample)))}`;
}

function previewNumbers({ selected, targets, blocked, fit }: Preview): Html {
  const stopped = targets.reduce((sum, { events, state }) => sum + (isUnreachable(state) ? events : 0), 0);
  const held = Math.min(selected, stopped + (blocked?.events ?? 0) + (fit?.doesNotFit ?? 0));
  return html`<div class="stats">${stat('Selected', selected, { note: 'fixed when the replay starts' })}
    ${stat('Can go now', selected - held, { note: `to ${countOf(targets.length, 'target')}` })}
    ${stat('Held back', held, { note: held > 0 ? 'see the reasons' : 'nothing', tone: held > 0 && 'needs-you' })}</div>`;
}

function fitSection({ fits, doesNotFit, unknown, reasons }: NonNullable<Preview['fit']>): Html {
  const rest = unknown > 0 ? [['Unknown: not checked', unknown] as const] : [];
  const lines = reasons.map(({ reason, events, ids }) => {
    const which = ids.length < events ? `the first ${ids.length}` : 'them';
    return html`<p class="warning">${countOf(events, 'event')}: ${reason} <a href="${searchLink(`id:${ids.join(',')}`)}">Show ${which}</a></p>`;
  });
  const counts = countList([['Fits', fits], ['Does not fit: will be skipped', doesNotFit], ...rest]);
  return section('Patch', html`${counts}${lines}`);
}

/** The number of excluded events by reason. */
export function excludedSection({ excluded }: Preview): Html | false {
  const counts = excluded.map(({ events, meaning }) => [meaning, events] as const);
  return counts.length > 0 && section('Excluded', countList(counts));
}

const effects: Readonly<Record<Preview['limits']['found'][number]['effect'], string>> = {
  'not-sent': 'cannot be sent and will fail permanently',
  omitted: 'will be sent without a part',
  changed: 'will be sent with a part in another notation',
  'may-fail': 'may be rejected',
};

function warnings({ targets, blocked, limits, selected }: Preview): Content {
  const firstOf = (checked: number) => checked < selected && ` of the first ${formatNumber(checked)}`;
  const eventLink = (id: string | null) => html`<a href="events/${id}">Such as event ${id}</a>`;
  const all = [
    ...targets.flatMap(({ target, advice, state, events }) => [
      advice && html`<b class="wrap">${target}</b>: ${advice}`,
      isUnreachable(state) &&
        html`${linkTarget(target)} is <b>${state.state}</b>, ${describeTarget(state)}: ${countOf(events, 'event waits', 'events wait')} for it.`,
    ]),
    blocked &&
      html`<b>${countOf(blocked.events, 'event')}</b>${firstOf(blocked.checked)} cannot go now: an earlier event of their key goes first, and is not selected. Replay or discard that one, too. ${eventLink(blocked.example)}`,
    ...limits.found.map(
      ({ target, effect, detail, events, example }) =>
        html`<b class="wrap">${target}</b>: ${countOf(events, 'event')}${firstOf(limits.checked)} ${effects[effect]}. ${detail} ${eventLink(example)}`,
    ),
  ];
  return all.map((words) => words && html`<p class="warning">${words}</p>`);
}

function nameTarget({ target, subscriptions }: Preview['targets'][number]): Html {
  return html`${linkTarget(target)}${subscriptions && html`<div class="muted small">${countOf(subscriptions, 'subscription')}</div>`}`;
}

function countGroups({ count, largest }: Preview['errorGroups']): Html {
  const rest = count - largest.length;
  return html`${countList(largest.map((each) => [nameGroup(each), each.events]))}${rest > 0 && html`<p class="hint">and ${formatNumber(rest)} more</p>`}`;
}

function nameGroup({ value, title }: Preview['errorGroups']['largest'][number]): Content {
  if (title === undefined) return value;
  return value === null ? errorName(title) : groupLink({ fingerprint: value, title });
}

function listSample({ id, eventType, status, errorReason }: Sample) {
  const words = html`<a class="title" href="events/${id}">${eventType}</a> <span class="muted small">${id}</span>
    <div class="muted small truncate">${errorReason}</div>`;
  return [words, mark(status)] as const;
}

function showPatched(sample: Sample): Html {
  const { id, eventType, before, after, skipped, omittedBytes } = sample;
  const [old, fresh] = [before, after].map((message) => bodyText(message?.body ?? ''));
  const hints = [
    skipped && `Excluded: ${skipped.detail}`,
    omittedBytes !== undefined &&
      `A message of ${formatNumber(omittedBytes)} bytes: its change is not shown here.`,
    after && old === fresh && 'No change of the payload.',
  ].filter(Boolean);
  return html`<h3><a href="events/${id}">${eventType}</a> <span class="muted small">${id}</span></h3>${hints.map((hint) => html`<p class="hint">${hint}</p>`)}
    ${after && old !== fresh && showDiff(old ?? '', fresh ?? '')}`;
}
