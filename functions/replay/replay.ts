import type { RawEndpoint } from '../raw-requests.ts';
import { serveResources } from './api/serve-resources.ts';
import type { ReplayDeps } from './replay-deps.ts';

/** The API by which people look at events and act on them. The code of an operation comes with its first call. */
export function replay(deps: ReplayDeps): RawEndpoint {
  const change = async () => (await import('./runs/api/change-run-operation.ts')).changeRunOperation;
  const resources = {
    '/events': { get: async () => (await import('./events/list-events.ts')).listEventsOperation(deps) },
    '/events/{id}': { get: async () => (await import('./events/show-event.ts')).showEventOperation(deps) },
    '/events/{id}/attempts': {
      get: async () => (await import('./events/list-attempts.ts')).listAttemptsOperation(deps),
    },
    '/acts/discard': { post: async () => (await import('./acts/discard.ts')).discard(deps) },
    '/acts/reopen': { post: async () => (await import('./acts/reopen.ts')).reopen(deps) },
    '/acts/reprioritise': { post: async () => (await import('./acts/reprioritise.ts')).reprioritise(deps) },
    '/acts/restore': { post: async () => (await import('./acts/restore.ts')).restore(deps) },
    '/audit': { get: async () => (await import('./audit/list-audit.ts')).listAuditOperation(deps) },
    '/': { post: async () => (await import('./replay-named.ts')).replayNamed(deps) },
    '/runs': {
      get: async () => (await import('./runs/api/list-runs-operation.ts')).listRunsOperation(deps),
      post: async () => (await import('./runs/api/create-run-operation.ts')).createRunOperation(deps),
    },
    '/runs/{id}': {
      get: async () => (await import('./runs/api/show-run-operation.ts')).showRunOperation(deps),
    },
    '/runs/{id}/events': {
      get: async () => (await import('./runs/api/list-run-events-operation.ts')).listRunEventsOperation(deps),
    },
    '/runs/{id}/events/{event}': {
      get: async () => (await import('./runs/api/show-run-event-operation.ts')).showRunEventOperation(deps),
    },
    '/runs/{id}/pause': { post: async () => (await change())(deps, 'pause') },
    '/runs/{id}/resume': { post: async () => (await change())(deps, 'resume') },
    '/runs/{id}/cancel': { post: async () => (await change())(deps, 'cancel') },
    '/runs/{id}/work': {
      post: async () => (await import('./runs/api/work-on-run-operation.ts')).workOnRunOperation(deps),
    },
  };
  return serveResources(resources, deps.identify);
}
