import { groupStates } from '../../shared/groups/error-groups.ts';
import type { listGroups } from '../../shared/groups/list-groups.ts';

type GroupPage = Parameters<typeof listGroups>[1];

/** The first page of all error groups, as the console asks for it without a search. */
export function firstGroups(more: Partial<GroupPage> = {}): GroupPage {
  return {
    states: groupStates,
    order: 'size',
    until: new Date(),
    limit: 50,
    ...more,
  };
}
