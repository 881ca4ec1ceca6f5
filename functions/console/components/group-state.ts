import type { GroupState } from '../../../shared/groups/error-groups.ts';
import { type Html, html } from '../html.ts';
import type { Icon } from './icon.ts';
import { mark } from './status.ts';

const badges: Readonly<Record<GroupState, readonly [icon: Icon, tone: string]>> = {
  OPEN: ['open', 'quiet'],
  ACKNOWLEDGED: ['acknowledged', 'busy'],
  MUTED: ['muted', 'quiet'],
  RESOLVED: ['succeeded', 'good'],
  REGRESSED: ['recurred', 'bad'],
};

/** The state of an error group. A group that was not aggregated yet has none, and counts as open. */
export function groupState(state: GroupState | null): Html {
  const name = state ?? 'OPEN';
  const [shape, tone] = badges[name];
  return mark(shape, tone, name.toLowerCase());
}

type Trend = {
  readonly firstSeenAt: Date | null;
  readonly failures: number;
  readonly failuresBefore: number;
};

/** Whether a group is new since a time, or failed at least twice as often as in the period before. */
export function judgeNovelty({ firstSeenAt, failures, failuresBefore }: Trend, since: Date) {
  if (firstSeenAt && firstSeenAt >= since) return 'new';
  return failures >= 10 && failures >= 2 * failuresBefore ? 'growing' : null;
}

/** Marks a group as `new` or `growing`. */
export function noveltyBadge(novelty: string | null): Html | false {
  return novelty !== null && html`<span class="badge">${novelty}</span>`;
}
