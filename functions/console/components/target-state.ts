import type { TargetState } from '../../../shared/delivery/read-states.ts';
import { type Content, type Html, html } from '../html.ts';
import { ago, moment } from './format.ts';
import { targetPath } from './links.ts';

/**
 * Since when and why a target gets no deliveries, and its next probe; the latest deliveries of one that is up.
 * `pause`: that of the schedule. `isDue`: whether there is an event that a tick can probe it with.
 */
export function describeTarget(target: TargetState, pause?: object | null, isDue = true): Html {
  const { since, probeAfter, heldBy, heldReason, heldUntil, pausedUntil, latest } = target;
  if (pausedUntil) return html`asked for a pause, goes on ${ago(pausedUntil)}`;
  if (!since) return html`${latest && `${latest.delivered} of the latest ${latest.deliveries} delivered`}`;
  const due = isDue ? 'the next tick probes it' : 'no event is due to probe it with';
  const next = probeAfter && (probeAfter > new Date() ? html`next probe ${ago(probeAfter)}` : due);
  const probe = pause ? 'the schedule, which is paused, does not probe it' : next;
  const until = heldUntil && html`, until ${moment(heldUntil)}`;
  if (heldBy !== null) return html`began ${ago(since)}, by ${heldBy}: ${heldReason}${until}`;
  return html`began ${ago(since)}${probe && html`, ${probe}`}`;
}

/** The short name of a target as a link to its page. */
export function linkTarget(name: string, className = ''): Html {
  return html`<a${className && html` class="${className}"`} href="${targetPath(name)}" title="${name}">${breakable(shortenTarget(name))}</a>`;
}

/** An address that rather breaks after a slash than within a word. */
export function breakable(address: string): Content {
  return address.split('/').map((part, i) => html`${i > 0 && html`/<wbr>`}${part}`);
}

/** The end of an address distinguishes it from the others. */
export function shortenTarget(name: string): string {
  return name.replace(/^https?:\/\//, '').replace(/^projects\/[^/]+\//, '');
}

/** Whether a target gets no deliveries now, except from a replay that ignores it. */
export function isUnreachable({ state }: Pick<TargetState, 'state'>): boolean {
  return state === 'down' || state === 'probing' || state === 'held' || state === 'paused';
}
