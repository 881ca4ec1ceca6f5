import { actions as eventActions } from '../../shared/events/actions/actions.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Route } from './api/operation.ts';
import { type IdentifyUser, serveOperations } from './api/serve-operations.ts';

/** The API for operators and their scripts. The code of an operation is loaded with its first request. */
export function replay({ identify, ...deps }: ReplayDeps & { readonly identify: IdentifyUser }): Endpoint {
  return serveOperations(routes, { deps, identify });
}

const actions = () => import('./action-operations.ts');
const changes = () => import('./runs/change-run-operations.ts');
const events = () => import('./events/show-event.ts');
const groups = () => import('./group-operations.ts');
const lists = () => import('./events/list-events.ts');
const runs = () => import('./runs/read-run-operations.ts');
const schedule = () => import('./schedule-operations.ts');
const targets = () => import('./target-operations.ts');

const onEvents = eventActions.map(
  (action): Route<ReplayDeps> => [
    'post',
    `/events/${action.name}`,
    async () => (await actions()).operationOf(action),
  ],
);

/** The operations of the API. The first path that matches a request answers it. */
export const routes: readonly Route<ReplayDeps>[] = [
  ['get', '/events', async () => (await lists()).listEventsOperation],
  ['get', '/events/export', async () => (await import('./events/export-events.ts')).exportEventsOperation],
  ['get', '/events/values', async () => (await lists()).listKnownValuesOperation],
  ['post', '/events/import', async () => (await import('./events/import-events.ts')).importEventsOperation],
  ...onEvents,
  ['post', '/events/restore', async () => (await actions()).restoreOperation],
  ['get', '/events/{id}', async () => (await events()).showEventOperation],
  [
    'get',
    '/events/{id}/message',
    async () => (await import('./events/show-message.ts')).showMessageOperation,
  ],
  ['get', '/events/{id}/attempts', async () => (await events()).listAttemptsOperation],
  ['get', '/filter', async () => (await import('./events/read-filter-operation.ts')).readFilterOperation],
  ['get', '/incidents', async () => (await groups()).listIncidentsOperation],
  ['get', '/groups', async () => (await groups()).listGroupsOperation],
  ['post', '/groups/change', async () => (await groups()).changeGroupsOperation],
  ['get', '/groups/{fingerprint}', async () => (await groups()).showGroupOperation],
  ['get', '/groups/{fingerprint}/differences', async () => (await groups()).listDifferencesOperation],
  ['post', '/groups/{fingerprint}', async () => (await groups()).changeGroupOperation],
  ['post', '/groups/{fingerprint}/merge', async () => (await groups()).mergeGroupOperation],
  ['get', '/groups/{fingerprint}/split', async () => (await groups()).previewSplitOperation],
  ['post', '/groups/{fingerprint}/split', async () => (await groups()).splitGroupOperation],
  ['post', '/stop', async () => (await targets()).stopOperation],
  ['get', '/targets', async () => (await targets()).listTargetsOperation],
  ['get', '/targets/{target}', async () => (await targets()).showTargetOperation],
  ['post', '/targets/{target}/probe', async () => (await targets()).probeTargetOperation],
  ['post', '/targets/{target}/hold', async () => (await targets()).holdTargetOperation],
  ['post', '/targets/{target}/release', async () => (await targets()).releaseTargetOperation],
  ['get', '/schedule', async () => (await schedule()).showScheduleOperation],
  ['get', '/schedule/ticks', async () => (await schedule()).listTicksOperation],
  ['post', '/schedule/run', async () => (await schedule()).runNowOperation],
  ['get', '/counts', async () => (await import('./count-operation.ts')).countOperation],
  ['post', '/audit/{id}/undo', async () => (await actions()).undoOperation],
  ['get', '/audit', async () => (await import('./list-audit.ts')).listAuditOperation],
  ['post', '/', async () => (await import('./runs/replay-named-operation.ts')).replayNamedOperation],
  ['get', '/runs', async () => (await runs()).listRunsOperation],
  ['post', '/runs', async () => (await import('./runs/create-run-operation.ts')).createRunOperation],
  ['get', '/runs/{id}', async () => (await runs()).showRunOperation],
  ['get', '/runs/{id}/events', async () => (await runs()).listRunEventsOperation],
  ['post', '/runs/{id}/pause', async () => (await changes()).pauseRunOperation],
  ['post', '/runs/{id}/resume', async () => (await changes()).resumeRunOperation],
  ['post', '/runs/{id}/cancel', async () => (await changes()).cancelRunOperation],
  ['post', '/runs/{id}/work', async () => (await changes()).workOnRunOperation],
];
