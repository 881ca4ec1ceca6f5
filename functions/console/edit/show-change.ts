import type { ShownChange } from '../../../shared/replay/show-change.ts';
import { type Html, html } from '../html.ts';
import { bodyText, showDiff } from './show-diff.ts';

/** Characters of a message that a page compares; the API returns larger ones. */
const maxLength = 1_048_576;

/**
 * The difference of a message before and after its edit, or why it has none. Masked fields are the same in
 * both.
 */
export function showChange({ before, after, skipped }: ShownChange): Html {
  if (skipped) return html`<p class="hint">The edit does not fit it: ${skipped.detail}</p>`;
  if (!before || !after)
    return html`<p class="hint">The event is no longer kept, and with it the difference.</p>`;
  const [old, fresh] = [before, after].map(({ body, headers }) => ({
    body: bodyText(body),
    headers: JSON.stringify(headers),
  }));
  if (!old || !fresh) return html``;
  const isEqual = old.body === fresh.body && old.headers === fresh.headers;
  if (isEqual) return html`<p class="hint">No field that you may see differs.</p>`;
  if (old.body.length + fresh.body.length > maxLength)
    return html`<p class="hint">The message is too large for a page: the API returns it before and after.</p>`;
  return html`${old.body !== fresh.body && html`<h3>Payload</h3>${showDiff(old.body, fresh.body)}`}
    ${old.headers !== fresh.headers && html`<h3>Headers</h3>${showDiff(old.headers, fresh.headers)}`}`;
}
