import * as v from 'valibot';
import { findRoute, type Route } from '../delivery/routes.ts';
import { limitsOf, nameTarget } from '../delivery/targets/target-kinds.ts';
import { count, described, listOf, text } from '../response-values.ts';
import type { SelectedEvent } from './preview-selection.ts';
import { findRouteTo } from './route-run.ts';
import type { RunRequest } from './run-request.ts';

/** The parts of the first selected messages that targets do not take, the most frequent first. */
export const PreviewLimitsSchema = v.strictObject({
  checked: described(count, 'The number of messages that were checked: the first of the selection.'),
  found: listOf(
    v.strictObject({
      target: text,
      effect: described(
        v.picklist(['not-sent', 'omitted', 'changed', 'may-fail']),
        'not-sent: the event fails permanently, and nothing is sent. omitted: the message is sent without this part. changed: it is sent in another notation. may-fail: many servers reject it.',
      ),
      part: text,
      detail: described(text, 'What the target does not take of one of the events.'),
      events: count,
      example: described(text, 'The id of that event.'),
    }),
  ),
});

type PreviewLimits = v.InferOutput<typeof PreviewLimitsSchema>;
type Found = PreviewLimits['found'][number];

const maxFound = 20;

/** The others are checked when they are delivered. */
const maxChecked = 500;

/** Compares the first messages of a selection, as the run would send them, with the limits of their targets. */
export function previewLimits(
  routes: readonly Route[],
  { target, edit }: RunRequest,
  events: readonly SelectedEvent[],
): PreviewLimits {
  const messages = events.slice(0, maxChecked);
  const namedRoute = target === undefined ? undefined : findRouteTo(routes, target);
  const found = new Map<string, Found>();
  for (const message of messages) {
    const route = namedRoute ?? findRoute(routes, message);
    if (!route) continue;
    const outgoing = {
      ...message,
      // As long as the real one, which the console's role cannot read.
      redelivery: `${message.id}.${'0'.repeat(32)}`,
      headers: edit?.headers ?? message.headers,
      bodyBytes: edit?.body?.length ?? message.bodyBytes,
    };
    for (const limit of limitsOf(route.target, outgoing))
      addTo(found, { ...limit, target: nameTarget(route.target), events: 1, example: message.id });
  }
  const sorted = [...found.values()].sort((a, b) => b.events - a.events);
  return { checked: messages.length, found: sorted.slice(0, maxFound) };
}

/** Counts one event more for what is not taken; the first event is the example. */
function addTo(found: Map<string, Found>, one: Found): void {
  const key = JSON.stringify([one.target, one.effect, one.part]);
  const known = found.get(key);
  found.set(key, known ? { ...known, events: known.events + 1 } : one);
}
