import * as v from 'valibot';
import { operatorText } from '../../shared/events/actions/operator-text.ts';
import { changeGroups, FingerprintSchema, GroupChangesSchema } from '../../shared/groups/change-groups.ts';
import {
  GroupDetailSchema,
  GroupSchema,
  groupStates,
  novelties,
  showGroup,
} from '../../shared/groups/error-groups.ts';
import { IncidentSchema, listIncidents } from '../../shared/groups/incidents.ts';
import { groupOrders, groupPosition, listGroups } from '../../shared/groups/list-groups.ts';
import {
  MergeSchema,
  mergeGroup,
  previewSplit,
  RuleSchema,
  SplitPreviewSchema,
  SplitSchema,
  splitByRule,
  splitGroup,
} from '../../shared/groups/merge-and-split.ts';
import { refreshUnlessReplica } from '../../shared/groups/refresh-groups.ts';
import { described, listOf } from '../../shared/response-values.ts';
import { cursorOf, oneOf, operation, pageOf, pageQuery, toPage } from './api/operation.ts';

const GroupParam = described(FingerprintSchema, 'A fingerprint of the error group.');

const name = (description: string) => v.optional(operatorText(1000, description));
const groupsQuery = {
  ...pageQuery,
  state: v.optional(oneOf(groupStates)),
  order: v.optional(oneOf(groupOrders), 'size'),
  novelty: v.optional(oneOf(novelties)),
  eventType: name('A type of any of its events.'),
  consumer: name('The consumer group or the subscription of its latest event.'),
  target: name('The target of the route of its latest event.'),
  words: name('Words that title, causes, first own frame, owner or an event type contain.'),
  owner: name('The owner; empty for groups without an owner.'),
  cursor: cursorOf((before) => groupPosition.test(before)),
};

export const listGroupsOperation = operation(
  {
    summary: 'List error groups',
    description:
      'By unresolved events (`size`), open ones (`open`), permanently failed ones (`permanent`), failures in 24 clock hours (`failures`), regressed and new ones first (`novelty`), by the first (`first`) or the latest failure (`recent`); the highest and latest first. A merged group counts for the one that it is merged into.',
    query: groupsQuery,
    returns: pageOf(GroupSchema),
  },
  async ({ db, routes }, { query, now }) => {
    const { limit, cursor: after, state, target, words = '', ...others } = query;
    await refreshUnlessReplica(db);
    const rows = await listGroups(db, {
      ...others,
      states: state ? [state] : groupStates,
      words: words.split(/\s+/).filter(Boolean),
      routed: target === undefined ? undefined : { target, routes },
      after,
      until: now,
      limit: limit + 1,
    });
    const { items, next } = toPage(
      rows.map(({ position: id, ...group }) => ({ id, group })),
      limit,
    );
    return { body: { items: items.map(({ group }) => group), next } };
  },
);

export const showGroupOperation = operation(
  {
    summary: 'Show an error group',
    description: 'One error group, or the one that it is merged into.',
    params: { fingerprint: GroupParam },
    returns: GroupDetailSchema,
  },
  async (deps, { params }) => {
    await refreshUnlessReplica(deps.db);
    return { body: await showGroup(deps, params.fingerprint) };
  },
);

export const changeGroupsOperation = operation(
  {
    summary: 'Change the state, owner or note of error groups',
    description:
      'The same change to up to 100 error groups, such as those of an incident. Changes no event. Members that are left out stay as they are; an empty owner or note is removed. A mute ends by itself at its time.',
    body: GroupChangesSchema,
    returns: v.strictObject({ changed: v.array(v.string()) }),
  },
  async ({ db }, { body: { fingerprints, change }, caller }) => {
    return { body: { changed: await changeGroups(db, fingerprints, { ...change, actor: caller.name }) } };
  },
);

export const mergeGroupOperation = operation(
  {
    summary: 'Merge an error group into another one',
    description:
      'The other group counts its events, those of later failures, too, and shows them; state, owner and note are those of the other group. The events keep their fingerprints: a split undoes it.',
    params: { fingerprint: GroupParam },
    body: MergeSchema,
    returns: GroupDetailSchema,
  },
  async (deps, { params: { fingerprint }, body: { into, reason }, caller }) => {
    await mergeGroup(deps.db, { fingerprint, into, reason, actor: caller.name });
    return { body: await showGroup(deps, into) };
  },
);

export const previewSplitOperation = operation(
  {
    summary: 'Show the two parts of an error group',
    description: 'What a split by this value would do, of the latest 10,000 events. Changes nothing.',
    params: { fingerprint: GroupParam },
    query: RuleSchema.entries,
    returns: SplitPreviewSchema,
  },
  async ({ db }, { params, query }) => {
    return { body: await previewSplit(db, params.fingerprint, query) };
  },
);

export const splitGroupOperation = operation(
  {
    summary: 'Split an error group by a word or a field, or a merged one off again',
    description:
      'With `by`, its events with that value, and later ones, are a group of their own: merging that group back undoes it. Without it, a merged group is split off again.',
    params: { fingerprint: GroupParam },
    body: SplitSchema,
    returns: GroupDetailSchema,
  },
  async (deps, { params: { fingerprint }, body: { by: rule, reason }, caller }) => {
    const change = { fingerprint, reason, actor: caller.name };
    const split = rule ? await splitByRule(deps.db, { ...change, rule }) : await splitGroup(deps.db, change);
    return { body: await showGroup(deps, split.fingerprint) };
  },
);

export const listIncidentsOperation = operation(
  {
    summary: 'List incidents',
    description:
      'At least two unresolved error groups whose events go to one target and that began within ten minutes of one another, in the last three days. Replay them by a filter of their fingerprints.',
    returns: v.strictObject({ items: listOf(IncidentSchema) }),
  },
  async (deps, { now }) => {
    await refreshUnlessReplica(deps.db);
    return { body: { items: await listIncidents(deps, now) } };
  },
);
