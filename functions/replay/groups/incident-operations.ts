import * as v from 'valibot';
import { listOf } from '../../../shared/events/response-values.ts';
import { IncidentSchema, listIncidents } from '../../../shared/groups/incidents.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
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
  async (deps: Pick<ReplayDeps, 'db' | 'routes'>, { now }) => {
    await refreshUnlessReplica(deps.db);
    return { body: { items: await listIncidents(deps, now) } };
  },
);
