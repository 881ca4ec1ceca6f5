import { type Html, html } from '../html.ts';
import type { Icon } from './icon.ts';
import { mark } from './status.ts';

const looks: Readonly<Record<string, readonly [icon: Icon, tone: string]>> = {
  OPEN: ['open', 'quiet'],
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

export type Novelty = 'returned' | 'new' | 'growing' | null;

type Course = {
  readonly first_seen_at: Date | null;
  readonly failures: number;
  readonly failures_before: number;
};

/** What about a group is news in a period: that it is new, or that it fails much more than before. */
export function judgeNovelty({ first_seen_at, failures, failures_before }: Course, since: Date): Novelty {
  if (first_seen_at && first_seen_at >= since) return 'new';
  return failures >= 10 && failures >= 2 * failures_before ? 'growing' : null;
}

/** A returned group says so by its state. */
export function noveltyBadge(novelty: Novelty): Html | false {
  return novelty !== null && novelty !== 'returned' && html`<span class="badge">${novelty}</span>`;
}
