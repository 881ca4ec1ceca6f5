import type { ApiRequest } from '../../functions/replay/api/operation.ts';
import {
  changeGroupOperation,
  changeGroupsOperation,
  listGroupsOperation,
  mergeGroupOperation,
  showGroupOperation,
  splitGroupOperation,
} from '../../functions/replay/groups/group-operations.ts';
import { listIncidentsOperation } from '../../functions/replay/groups/incident-operations.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';

type Ask = Omit<ApiRequest, 'body' | 'params'>;

/** Everything that people do to error groups by the API: `fingerprint` is merged into `into`, and split off again. */
export async function useGroups(
  api: ReplayDeps,
  ask: Ask,
  { fingerprint, into }: { readonly fingerprint: string; readonly into: string },
): Promise<void> {
  const of = { ...ask, params: { fingerprint }, body: undefined };
  const reason = 'a test';
  await listIncidentsOperation(api).handle(of);
  await listGroupsOperation(api).handle(of);
  await showGroupOperation(api).handle(of);
  const mutedUntil = new Date(Date.now() + 60_000).toISOString();
  const change = { state: 'MUTED', mutedUntil, reason };
  await changeGroupsOperation(api).handle({ ...of, body: { fingerprints: [fingerprint], change } });
  await changeGroupOperation(api).handle({ ...of, body: { state: 'OPEN', owner: 'ann', note: 'x' } });
  await mergeGroupOperation(api).handle({ ...of, body: { into, reason } });
  await splitGroupOperation(api).handle({ ...of, body: { reason } });
}
