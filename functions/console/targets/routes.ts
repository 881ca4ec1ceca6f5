import type { Route } from '../../../shared/delivery/routes.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { formatDuration } from '../components/format.ts';
import { type Html, html } from '../html.ts';

/** A route in a line: the events it matches, and how it retries. */
export function describeRoute(route: Route, index: number): Html {
  const { target, ordered } = route;
  return html`route ${index + 1}, ${target.kind}${ordered && ', ordered by key'}: ${filterOfRoute(route) || 'all other events'}, ${describeBackoff(route)}`;
}

/** The events a route matches, in the text form of the filter; empty if it matches all. */
export function filterOfRoute({ match }: Route): string {
  const filter = Object.entries(match).map(([field, glob]) => [field, [glob]]);
  return printFilterText(Object.fromEntries(filter));
}

/** The retry policy of a route in a few words. */
function describeBackoff({ policy: { backoff, maxRetries } }: Route): string {
  const limit = maxRetries === undefined ? '' : `, up to ${maxRetries} times`;
  const time = (seconds: number) => formatDuration(seconds * 1000);
  if (backoff.kind === 'fixed') return `every ${time(backoff.delaySeconds)}${limit}`;
  if (backoff.kind === 'schedule')
    return `after ${backoff.delaysSeconds.slice(0, 4).map(time).join(', ')}${backoff.delaysSeconds.length > 4 ? ', …' : ''}${limit}`;
  return `from ${time(backoff.baseSeconds)} up to ${time(backoff.capSeconds)}${limit}`;
}
