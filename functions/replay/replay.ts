import { actions as eventActions } from '../../shared/events/actions/actions.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ApiDeps, Operation, Route } from './api/operation.ts';
import { type IdentifyUser, serveOperations } from './api/serve-operations.ts';

/** The API for operators and their scripts. The code of an operation is loaded with its first request. */
export function replay({ identify, ...deps }: ApiDeps & { readonly identify: IdentifyUser }): Endpoint {
  return serveOperations(routes, { deps, identify });
}

/** The names of the operations that a module exports: `showEvent` of `showEventOperation`. */
type Names<Module> = keyof Module extends infer Key
  ? Key extends `${infer Name}Operation`
    ? Name
    : never
  : never;

/** Returns a function that makes a route to an operation of a module. */
function routesTo<Module extends object>(load: () => Promise<Module>) {
  return (method: 'get' | 'post', path: string, name: Names<Module>): Route => [
    method,
    path,
    name,
    async () => (await load())[`${name}Operation` as keyof Module] as Operation,
  ];
}

const actions = routesTo(() => import('./action-operations.ts'));
const events = routesTo(() => import('./event-operations.ts'));
const groups = routesTo(() => import('./group-operations.ts'));
const imports = routesTo(() => import('./import-events.ts'));
const runs = routesTo(() => import('./run-operations.ts'));
const targets = routesTo(() => import('./target-operations.ts'));

const onEvents = eventActions.map(
  (action): Route => [
    'post',
    `/events/${action.name}`,
    `${action.name}Events`,
    async () => (await import('./action-operations.ts')).operationOf(action),
  ],
);

/** The operations of the API. The first path that matches a request answers it. */
export const routes: readonly Route[] = [
  events('get', '/events', 'listEvents'),
  events('get', '/events/export', 'exportEvents'),
  imports('post', '/events/import', 'importEvents'),
  ...onEvents,
  actions('post', '/events/restore', 'restoreEvents'),
  events('get', '/events/{id}', 'showEvent'),
  events('get', '/events/{id}/message', 'showMessage'),
  events('get', '/events/{id}/attempts', 'listAttempts'),
  events('get', '/filter', 'readFilter'),
  groups('get', '/incidents', 'listIncidents'),
  groups('get', '/groups', 'listGroups'),
  groups('post', '/groups/change', 'changeGroups'),
  groups('get', '/groups/{fingerprint}', 'showGroup'),
  groups('post', '/groups/{fingerprint}/merge', 'mergeGroup'),
  groups('get', '/groups/{fingerprint}/split', 'previewSplit'),
  groups('post', '/groups/{fingerprint}/split', 'splitGroup'),
  targets('post', '/stop', 'stop'),
  targets('get', '/targets', 'listTargets'),
  targets('get', '/targets/{target}', 'showTarget'),
  targets('post', '/targets/{target}/probe', 'probeTarget'),
  targets('post', '/targets/{target}/hold', 'holdTarget'),
  targets('post', '/targets/{target}/release', 'releaseTarget'),
  targets('get', '/schedule', 'showSchedule'),
  targets('post', '/schedule/run', 'runNow'),
  actions('post', '/audit/{id}/undo', 'undoAction'),
  actions('get', '/audit', 'listAudit'),
  runs('get', '/runs', 'listRuns'),
  runs('post', '/runs', 'createRun'),
  runs('get', '/runs/{id}', 'showRun'),
  runs('get', '/runs/{id}/events', 'listRunEvents'),
  runs('post', '/runs/{id}/pause', 'pauseRun'),
  runs('post', '/runs/{id}/resume', 'resumeRun'),
  runs('post', '/runs/{id}/cancel', 'cancelRun'),
];
