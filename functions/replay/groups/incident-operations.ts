import * as v from 'valibot';
import { listOf } from '../../../shared/events/response-values.ts';
import { IncidentSchema, listIncidents } from '../../../shared/groups/incidents.ts';
import { MuteSchema, muteGroups } from '../../../shared/groups/mute-groups.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { checkQuery } from '../api/check-input.ts';
import { operation } from '../api/operation.ts';

/** `GET /incidents`: error groups that began together at one target. */
export const listIncidentsOperation = operation(
  {
    operationId: 'listIncidents',
    summary: 'List incidents',
    description:
      'At least two unresolved error groups whose events go to one target and that began within ten minutes of one another, in the last three days. Replay them by a filter of their fingerprints.',
    tag: 'groups',
    responses: {
      200: { description: 'The latest first.', schema: v.strictObject({ items: listOf(IncidentSchema) }) },
    },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes'>, { query, now }) => {
    checkQuery(v.strictObject({}), query);
    return { body: { items: await listIncidents(deps, now) } };
  },
);

/** `POST /groups/mute`: mutes error groups until a time. */
export const muteGroupsOperation = operation(
  {
    operationId: 'muteGroups',
    summary: 'Mute error groups',
    description: 'Mutes error groups, such as those of an incident; at the time they are open again.',
    tag: 'groups',
    body: MuteSchema,
    responses: {
      200: {
        description: 'The fingerprints that exist, and are muted now.',
        schema: v.strictObject({ muted: v.array(v.string()) }),
      },
    },
  },
  async ({ db }: Pick<ReplayDeps, 'db'>, { body, caller }) => ({
    body: { muted: await muteGroups(db, { body, actor: caller.name }) },
  }),
);
