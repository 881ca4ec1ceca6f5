import { maxSamples } from '../delivery/cause-health.ts';
import type { Group, Room } from '../delivery/picker.ts';

/** Events of a run that are alike. Of those that failed of one cause before, samples go first. */
export type RunGroup = Group & {
  /** Events that wait for the samples. */
  readonly rest: string[];
  sampled: number;
  /** Whether samples of it go first: its events have failed at their target. */
  readonly isSampled: boolean;
};

/** Adds an event to its group: as a sample, or to those that wait for the samples. */
export function addToGroup(group: RunGroup, id: string): void {
  const waits = group.isSampled && group.sampled >= maxSamples;
  (waits ? group.rest : group.ids).push(id);
  group.sampled += 1;
}

/**
 * Lets the rest of a cause follow if its samples pass. Returns the events that are set aside because their
 * cause fails by itself: they would only fail again. Without news of any sample others go in their place.
 */
export function setAside(groups: Iterable<RunGroup>, room: Pick<Room, 'judgeCause' | 'isEmpty'>): string[] {
  return [...groups].flatMap((group) => {
    const { cause, ids, rest, isSampled } = group;
    const verdict = isSampled && cause !== null ? room.judgeCause(cause) : undefined;
    if (verdict === 'fails') return [...ids.splice(0), ...rest.splice(0)];
    if (verdict === 'passes') ids.push(...rest.splice(0));
    else if (ids.length === 0 && room.isEmpty()) ids.push(...rest.splice(0, maxSamples));
    return [];
  });
}

/** How many events of a pass are left. */
export function countLeft(groups: Iterable<RunGroup>): number {
  return [...groups].reduce((sum, { ids, rest }) => sum + ids.length + rest.length, 0);
}

/** Leaves the events of groups to a later pass. Returns whether there were any. */
export function leave(groups: Iterable<RunGroup>, down: ReadonlySet<Group>): boolean {
  const left = [...groups].filter((group) => down.has(group) && countLeft([group]) > 0);
  for (const group of left) Object.assign(group, { ids: [], rest: [], sampled: 0 });
  return left.length > 0;
}
