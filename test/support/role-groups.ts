import type { ApiDeps, SentRequest } from '../../functions/replay/api/operation.ts';
import {
  changeGroupsOperation,
  listGroupsOperation,
  listIncidentsOperation,
  mergeGroupOperation,
  previewSplitOperation,
  showGroupOperation,
  splitGroupOperation,
} from '../../functions/replay/group-operations.ts';

type Ask = Omit<SentRequest, 'body' | 'params'>;

/**
 * Everything that people do to error groups by the API: `fingerprint` is merged into `into`, and split off
 * again.
 */
export async function useGroups(
  api: ApiDeps,
  ask: Ask,
  { fingerprint, into }: { readonly fingerprint: string; readonly into: string },
): Promise<void> {
  const of = { ...ask, params: { fingerprint }, body: undefined };
  const reason = 'a test';
  await listIncidentsOperation.handle(api, of);
  await listGroupsOperation.handle(api, of);
  await showGroupOperation.handle(api, of);
  const mutedUntil = new Date(Date.now() + 60_000).toISOString();
  const change = { state: 'MUTED', mutedUntil, reason };
  await changeGroupsOperation.handle(api, { ...of, body: { fingerprints: [fingerprint], change } });
  const reopening = { state: 'OPEN', owner: 'ann', note: 'x' };
  await changeGroupsOperation.handle(api, {
    ...of,
    body: { fingerprints: [fingerprint], change: reopening },
  });
  const rule = new URLSearchParams({ field: 'words', value: 'timeout' });
  await previewSplitOperation.handle(api, { ...of, query: rule });
  await mergeGroupOperation.handle(api, { ...of, body: { into, reason } });
  await splitGroupOperation.handle(api, { ...of, body: { reason } });
}
