import type { Status } from '../../../shared/events/event.ts';
import { type Html, html } from '../html.ts';
import { type Icon, icon } from './icon.ts';

const badges: Readonly<Record<Status, readonly [icon: Icon, tone: string]>> = {
  PENDING: ['pending', 'waiting'],
  PROCESSING: ['processing', 'busy'],
  SUCCEEDED: ['succeeded', 'good'],
  FAILED_PERMANENTLY: ['failed', 'bad'],
  DISCARDED: ['discarded', 'quiet'],
};

/** The status of an event, by shape, colour and word. */
export function status(of: Status): Html {
  const [shape, tone] = badges[of];
  return mark(shape, tone, of.toLowerCase().replace('_', ' '));
}

/** An icon and a word in a tone: `good`, `bad`, `waiting`, `busy` or `quiet`. */
export function mark(shape: Icon, tone: string, word: string): Html {
  return html`<span class="mark ${tone}">${icon(shape)}${word}</span>`;
}
