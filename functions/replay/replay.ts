import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Resources } from './api/operation.ts';
import { type IdentifyUser, serveResources } from './api/serve-resources.ts';

/** The API for operators and their scripts. The code of an operation is loaded with its first request. */
export function replay({ identify, ...deps }: ReplayDeps & { readonly identify: IdentifyUser }): Endpoint {
  const actions = () => import('./actions/action-operations.ts');
  const events = () => import('./events/show-event.ts');
  const runs = () => import('./runs/read-run-operations.ts');
  const changes = () => import('./runs/change-run-operations.ts');
  const groups = () => import('./groups/group-operations.ts');
  const targets = () => import('./targets/target-operations.ts');
  const schedule = () => import('./schedule/schedule-operations.ts');
  const resources: Resources<ReplayDeps> = {
    '/events': { get: async () => (await import('./events/list-events.ts')).listEventsOperation },
    '/events/export': {
      get: async () => (await import('./events/export-events.ts')).exportEventsOperation,
    },
    '/events/values': {
      get: async () => (await import('./events/list-known-values.ts')).listKnownValuesOperation,
    },
    '/events/discard': { post: async () => (await actions()).discardOperation },
    '/events/reopen': { post: async () => (await actions()).reopenOperation },
    '/events/reprioritize': { post: async () => (await actions()).reprioritizeOperation },
    '/events/restore': { post: async () => (await actions()).restoreOperation },
    '/events/{id}': { get: async () => (await events()).showEventOperation },
    '/events/{id}/attempts': { get: async () => (await events()).listAttemptsOperation },
    '/incidents': {
      get: async () => (await import('./groups/incident-operations.ts')).listIncidentsOperation,
    },
    '/groups': { get: async () => (await groups()).listGroupsOperation },
    '/groups/change': { post: async () => (await groups()).changeGroupsOperation },
    '/groups/{fingerprint}': {
      get: async () => (await groups()).showGroupOperation,
      post: async () => (await groups()).changeGroupOperation,
    },
    '/groups/{fingerprint}/merge': { post: async () => (await groups()).mergeGroupOperation },
    '/groups/{fingerprint}/split': { post: async () => (await groups()).splitGroupOperation },
    '/targets': { get: async () => (await targets()).listTargetsOperation },
    '/targets/{target}': { get: async () => (await targets()).showTargetOperation },
    '/targets/{target}/probe': { post: async () => (await targets()).probeTargetOperation },
    '/targets/{target}/hold': { post: async () => (await targets()).holdTargetOperation },
    '/targets/{target}/release': { post: async () => (await targets()).releaseTargetOperation },
    '/schedule': {
      get: async () => (await schedule()).showScheduleOperation,
    },
    '/schedule/ticks': {
      get: async () => (await schedule()).listTicksOperation,
    },
    '/schedule/run': {
      post: async () => (await schedule()).runNowOperation,
    },
    '/counts': { get: async () => (await import('./counts/count-operation.ts')).countOperation },
    '/audit': { get: async () => (await import('./audit/list-audit.ts')).listAuditOperation },
    '/': {
      post: async () => (await import('./runs/replay-named-operation.ts')).replayNamedOperation,
    },
    '/runs': {
      get: async () => (await runs()).listRunsOperation,
      post: async () => (await import('./runs/create-run-operation.ts')).createRunOperation,
    },
    '/runs/{id}': { get: async () => (await runs()).showRunOperation },
    '/runs/{id}/events': { get: async () => (await runs()).listRunEventsOperation },
    '/runs/{id}/events/{event}': { get: async () => (await runs()).showRunEventOperation },
    '/runs/{id}/pause': { post: async () => (await changes()).pauseRunOperation },
    '/runs/{id}/resume': { post: async () => (await changes()).resumeRunOperation },
    '/runs/{id}/cancel': { post: async () => (await changes()).cancelRunOperation },
    '/runs/{id}/work': { post: async () => (await changes()).workOnRunOperation },
  };
  return serveResources(resources, { deps, identify });
}
