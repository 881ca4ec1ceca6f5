import { type Html, html } from '../html.ts';
import type { Icon } from './icon.ts';
import { mark } from './status.ts';

const looks: Readonly<Record<string, readonly [icon: Icon, tone: string]>> = {
  OPEN: ['open', 'waiting'],
  ACKNOWLEDGED: ['acknowledged', 'busy'],
  MUTED: ['muted', 'quiet'],
  RESOLVED: ['succeeded', 'good'],
  RETURNED: ['returned', 'bad'],
};

/** Where an error group stands. */
export function groupState(state: string | null): Html {
  const name = state ?? 'OPEN';
  const [shape, tone] = looks[name] ?? ['open', 'waiting'];
  return mark(shape, tone, name.toLowerCase());
}

export type Novelty = {
  readonly first_seen_at: Date | null;
  readonly failures: number;
  readonly failures_before: number;
};

/** What about a group is news: that it is new, or that it fails much more than before. */
export function novelty({ first_seen_at, failures, failures_before }: Novelty, since: Date): Html | false {
  if (first_seen_at && first_seen_at >= since) return html`<span class="badge">new</span>`;
  const isGrowing = failures >= 10 && failures >= 2 * failures_before;
  return isGrowing && html`<span class="badge">growing</span>`;
}
