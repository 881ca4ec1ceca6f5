import type { Status } from '../../../shared/events.ts';
import { type Html, html } from '../html.ts';
import { type Icon, icon } from './icon.ts';

const looks: Readonly<Record<Status, { readonly icon: Icon; readonly tone: string; readonly word: string }>> =
  {
    PENDING: { icon: 'pending', tone: 'waiting', word: 'pending' },
    PROCESSING: { icon: 'processing', tone: 'busy', word: 'processing' },
    SUCCEEDED: { icon: 'succeeded', tone: 'good', word: 'succeeded' },
    FAILED_PERMANENTLY: { icon: 'failed', tone: 'bad', word: 'failed permanently' },
    DISCARDED: { icon: 'discarded', tone: 'quiet', word: 'discarded' },
  };

/** Where an event stands: by shape, by colour and by word. */
export function status(of: Status): Html {
  const { icon: shape, tone, word } = looks[of];
  return mark(shape, tone, word);
}

/** A shape and a word in a tone: `good`, `bad`, `waiting`, `busy` or `quiet`. */
export function mark(shape: Icon, tone: string, word: string): Html {
  return html`<span class="mark ${tone}">${icon(shape)}${word}</span>`;
}
