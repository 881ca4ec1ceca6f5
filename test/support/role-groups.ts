import type { ApiRequest } from '../../functions/replay/api/operation.ts';
import {
  changeGroupOperation,
  listGroupsOperation,
  mergeGroupOperation,
  showGroupOperation,
  splitGroupOperation,
} from '../../functions/replay/groups/group-operations.ts';
import {
  listIncidentsOperation,
  muteGroupsOperation,
} from '../../functions/replay/groups/incident-operations.ts';
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
  const mutedUntil = new Date().toISOString();
  await muteGroupsOperation(api).handle({ ...of, body: { fingerprints: [fingerprint], mutedUntil, reason } });
  await changeGroupOperation(api).handle({ ...of, body: { state: 'OPEN', owner: 'ann', note: 'x' } });
  await mergeGroupOperation(api).handle({ ...of, body: { into, reason } });
  await splitGroupOperation(api).handle({ ...of, body: { reason } });
}
