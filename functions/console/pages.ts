import { actions } from '../../shared/events/actions/actions.ts';
import type { Answer } from './page.ts';

/** Imports the code that answers. */
export type Load = () => Promise<Answer>;

const edit = async () => (await import('./edit/edit-page.ts')).editPage;
const activity = () => import('./activity/activity-page.ts');
const downloads = () => import('./events/downloads.ts');
const lists = () => import('./events/events-page.ts');
const triage = async () => (await import('./groups/triage.ts')).changeByForm;
const regroup = () => import('./groups/regroup-page.ts');
const targets = () => import('./targets/targets-page.ts');
const newRun = () => import('./runs/new-run-page.ts');

const actionPages = actions.flatMap((action) => {
  const load = () => import('./events/action-page.ts');
  return [
    ['get', `/events/${action.name}`, async () => (await load()).actionPage(action)],
    ['post', `/events/${action.name}`, async () => (await load()).runActionByForm(action)],
  ] as const;
});

/**
 * The pages and actions of the console. The first that matches a request answers it. A form is sent to the
 * page that has it, which shows its problems.
 */
export const pages: readonly (readonly [method: 'get' | 'post', path: string, load: Load])[] = [
  ['get', '/', async () => (await import('./overview/overview.ts')).overview],
  ['get', '/groups', async () => (await import('./groups/groups-page.ts')).groupsPage],
  ['post', '/groups', triage],
  ['get', '/groups/:fingerprint', async () => (await import('./groups/group-page.ts')).groupPage],
  ['post', '/groups/:fingerprint', triage],
  ['get', '/groups/:fingerprint/merge', async () => (await regroup()).mergePage],
  ['post', '/groups/:fingerprint/merge', async () => (await regroup()).mergeByForm],
  ['get', '/groups/:fingerprint/split', async () => (await regroup()).splitPage],
  ['post', '/groups/:fingerprint/split', async () => (await regroup()).splitByForm],
  ['get', '/events', async () => (await lists()).eventsPage('events')],
  ['get', '/events/archive', async () => (await lists()).eventsPage('events/archive')],
  ['get', '/events/selection', async () => (await import('./events/action-page.ts')).redirectToAction],
  ['get', '/events/export', async () => (await downloads()).exportList],
  ...actionPages,
  ['get', '/events/:id', async () => (await import('./events/event-page.ts')).eventPage],
  ['post', '/events/:id', async () => (await import('./events/visible-event.ts')).changeEventByForm],
  ['get', '/events/:id/body', async () => (await downloads()).downloadBody],
  ['get', '/events/:id/stack', async () => (await downloads()).downloadStack],
  ['get', '/events/:id/edit', edit],
  ['post', '/events/:id/edit', edit],
  ['get', '/runs', async () => (await import('./runs/runs-page.ts')).runsPage],
  ['post', '/runs', async () => (await import('./runs/schedule.ts')).changeScheduleByForm],
  ['get', '/runs/new', async () => (await newRun()).newRunPage],
  ['post', '/runs/new', async () => (await newRun()).createRunByForm],
  ['get', '/runs/:id', async () => (await import('./runs/run-page.ts')).runPage],
  ['post', '/runs/:id', async () => (await import('./runs/run-page.ts')).changeRunByForm],
  ['post', '/views', async () => (await import('./events/search.ts')).changeViewByForm],
  ['get', '/activity', async () => (await activity()).activityPage],
  ['get', '/activity/report', async () => (await activity()).reportPage],
  ['get', '/activity/:id/undo', async () => (await activity()).undoPage],
  ['post', '/activity/:id/undo', async () => (await activity()).undoByForm],
  ['get', '/targets', async () => (await targets()).targetsPage],
  ['post', '/targets', async () => (await targets()).stopByForm],
  ['get', '/targets/route', async () => (await import('./targets/route-page.ts')).routePage],
  ['get', '/targets/:target', async () => (await targets()).targetPage],
  ['post', '/targets/:target', async () => (await targets()).changeTargetByForm],
];
