import { type Content, type Html, html } from '../html.ts';
import type { PageContext } from '../page-context.ts';

/** A form that changes something. It carries the token that the console requires of every POST. */
export function postForm(
  context: Pick<PageContext, 'csrf'>,
  { action, className, content }: { action: string; className?: string; content: Content },
): Html {
  return html`<form method="post" action="${action}" class="${className}">
    <input type="hidden" name="csrf" value="${context.csrf}">${content}
  </form>`;
}
