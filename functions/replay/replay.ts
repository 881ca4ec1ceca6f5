import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import type { Identify } from '../identity/identify-caller.ts';
import type { RawEndpoint } from '../raw-requests.ts';
import { serveResources } from './api/serve-resources.ts';

/** The API for operators and their scripts. The code of an operation is loaded with its first request. */
export function replay({ identify, ...deps }: ReplayDeps & { readonly identify: Identify }): RawEndpoint {
  const actions = () => import('./actions/action-operations.ts');
  const events = () => import('./events/show-event.ts');
  const runs = () => import('./runs/read-run-operations.ts');
  const change = async () => (await import('./runs/change-run-operation.ts')).changeRunOperation;
  const resources = {
    '/events': { get: async () => (await import('./events/list-events.ts')).listEventsOperation(deps) },
    '/events/discard': { post: async () => (await actions()).discardOperation(deps) },
    '/events/reopen': { post: async () => (await actions()).reopenOperation(deps) },
    '/events/reprioritize': { post: async () => (await actions()).reprioritizeOperation(deps) },
    '/events/restore': { post: async () => (await import('./actions/restore.ts')).restoreOperation(deps) },
    '/events/{id}': { get: async () => (await events()).showEventOperation(deps) },
    '/events/{id}/attempts': { get: async () => (await events()).listAttemptsOperation(deps) },
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
    '/runs/{id}/pause': { post: async () => (await change())(deps, 'pause') },
    '/runs/{id}/resume': { post: async () => (await change())(deps, 'resume') },
    '/runs/{id}/cancel': { post: async () => (await change())(deps, 'cancel') },
    '/runs/{id}/work': {
      post: async () => (await import('./runs/work-on-run-operation.ts')).workOnRunOperation(deps),
    },
  };
  return serveResources(resources, identify);
}
