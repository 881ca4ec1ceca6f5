import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import type { RawEndpoint } from '../raw-requests.ts';
import { type IdentifyUser, serveResources } from './api/serve-resources.ts';

/** The API for operators and their scripts. The code of an operation is loaded with its first request. */
export function replay({ identify, ...deps }: ReplayDeps & { readonly identify: IdentifyUser }): RawEndpoint {
  const actions = () => import('./actions/action-operations.ts');
  const events = () => import('./events/show-event.ts');
  const runs = () => import('./runs/read-run-operations.ts');
  const changes = () => import('./runs/change-run-operations.ts');
  const groups = () => import('./groups/group-operations.ts');
  const targets = () => import('./targets/target-operations.ts');
  const resources = {
    '/events': { get: async () => (await import('./events/list-events.ts')).listEventsOperation(deps) },
    '/events/export': {
      get: async () => (await import('./events/export-events.ts')).exportEventsOperation(deps),
    },
    '/events/values': {
      get: async () => (await import('./events/list-known-values.ts')).listKnownValuesOperation(deps),
    },
    '/events/discard': { post: async () => (await actions()).discardOperation(deps) },
    '/events/reopen': { post: async () => (await actions()).reopenOperation(deps) },
    '/events/reprioritize': { post: async () => (await actions()).reprioritizeOperation(deps) },
    '/events/restore': { post: async () => (await actions()).restoreOperation(deps) },
    '/events/{id}': { get: async () => (await events()).showEventOperation(deps) },
    '/events/{id}/attempts': { get: async () => (await events()).listAttemptsOperation(deps) },
    '/incidents': {
      get: async () => (await import('./groups/incident-operations.ts')).listIncidentsOperation(deps),
    },
    '/groups': { get: async () => (await groups()).listGroupsOperation(deps) },
    '/groups/change': { post: async () => (await groups()).changeGroupsOperation(deps) },
    '/groups/{fingerprint}': {
      get: async () => (await groups()).showGroupOperation(deps),
      post: async () => (await groups()).changeGroupOperation(deps),
    },
    '/groups/{fingerprint}/merge': { post: async () => (await groups()).mergeGroupOperation(deps) },
    '/groups/{fingerprint}/split': { post: async () => (await groups()).splitGroupOperation(deps) },
    '/targets': { get: async () => (await targets()).listTargetsOperation(deps) },
    '/targets/{target}': { get: async () => (await targets()).showTargetOperation(deps) },
    '/targets/{target}/probe': { post: async () => (await targets()).probeTargetOperation(deps) },
    '/targets/{target}/hold': { post: async () => (await targets()).holdTargetOperation(deps) },
    '/targets/{target}/release': { post: async () => (await targets()).releaseTargetOperation(deps) },
    '/schedule': {
      get: async () => (await import('./schedule/schedule-operations.ts')).showScheduleOperation(deps),
    },
    '/schedule/ticks': {
      get: async () => (await import('./schedule/schedule-operations.ts')).listTicksOperation(deps),
    },
    '/schedule/run': {
      post: async () => (await import('./schedule/schedule-operations.ts')).runNowOperation(deps),
    },
    '/counts': { get: async () => (await import('./counts/count-operation.ts')).countOperation(deps) },
    '/audit': { get: async () => (await import('./audit/list-audit.ts')).listAuditOperation(deps) },
    '/': {
      post: async () => (await import('./runs/replay-named-operation.ts')).replayNamedOperation(deps),
    },
    '/runs': {
      get: async () => (await runs()).listRunsOperation(deps),
      post: async () => (await import('./runs/create-run-operation.ts')).createRunOperation(deps),
    },
    '/runs/{id}': { get: async () => (await runs()).showRunOperation(deps) },
    '/runs/{id}/events': { get: async () => (await runs()).listRunEventsOperation(deps) },
    '/runs/{id}/events/{event}': { get: async () => (await runs()).showRunEventOperation(deps) },
    '/runs/{id}/pause': { post: async () => (await changes()).pauseRunOperation(deps) },
    '/runs/{id}/resume': { post: async () => (await changes()).resumeRunOperation(deps) },
    '/runs/{id}/cancel': { post: async () => (await changes()).cancelRunOperation(deps) },
    '/runs/{id}/work': { post: async () => (await changes()).workOnRunOperation(deps) },
  };
  return serveResources(resources, identify);
}
