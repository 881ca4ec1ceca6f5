import { type Content, type Html, html } from '../html.ts';
import type { Visit } from '../visit.ts';

/** A form that changes something. It carries the token without which it would be refused. */
export function postForm(
  visit: Pick<Visit, 'csrf'>,
  { action, className, content }: { action: string; className?: string; content: Content },
): Html {
  return html`<form method="post" action="${action}" class="${className}">
    <input type="hidden" name="csrf" value="${visit.csrf}">${content}
  </form>`;
}
