import type { Answer } from './page.ts';

/** Imports the code that answers. */
export type Load = () => Promise<Answer>;

const actionPages = () => import('./actions/action-page.ts');
const edits = () => import('./edit/edit-page.ts');
const downloads = () => import('./events/download-body.ts');
const eventForms = () => import('./events/event-forms.ts');
const lists = () => import('./events/events-page.ts');
const merges = () => import('./groups/merge-page.ts');
const newRuns = () => import('./runs/new-run-page.ts');

const action = (name: 'discard' | 'reopen' | 'reprioritize') => ({
  get: async () => (await actionPages()).actionPage(name),
  post: async () => (await actionPages()).runActionByForm(name),
});

/** The pages and actions of the console by path. The first path that matches a request answers it. */
export const pages: Readonly<Record<string, { readonly get?: Load; readonly post?: Load }>> = {
  '/': { get: async () => (await import('./overview/overview.ts')).overview },
  '/groups': { get: async () => (await import('./groups/groups-page.ts')).groupsPage },
  '/groups/selection': { post: async () => (await import('./groups/group-selection.ts')).changeSelected },
  '/groups/:fingerprint': {
    get: async () => (await import('./groups/group-page.ts')).groupPage,
    post: async () => (await import('./groups/group-form.ts')).changeGroupByForm,
  },
  '/groups/:fingerprint/merge': {
    get: async () => (await merges()).mergePage,
    post: async () => (await merges()).mergeByForm,
  },
  '/groups/:fingerprint/split': { post: async () => (await merges()).splitByForm },
  '/events': { get: async () => (await lists()).eventsPage('events') },
  '/events/archive': { get: async () => (await lists()).eventsPage('events/archive') },
  '/events/find': { get: async () => (await import('./events/filter-form.ts')).redirectToEvents },
  '/events/selection': { get: async () => (await import('./events/selection.ts')).redirectToAction },
  '/events/export': { get: async () => (await import('./events/export-page.ts')).exportList },
  '/events/discard': action('discard'),
  '/events/reopen': action('reopen'),
  '/events/reprioritize': action('reprioritize'),
  '/events/:id': { get: async () => (await import('./events/event-page.ts')).eventPage },
  '/events/:id/body': { get: async () => (await downloads()).downloadBody },
  '/events/:id/stack': { get: async () => (await downloads()).downloadStack },
  '/events/:id/edit': {
    get: async () => (await edits()).editPage,
    post: async () => (await edits()).previewEdit,
  },
  '/events/:id/restore': { post: async () => (await eventForms()).restoreByForm },
  '/events/:id/unmask': { post: async () => (await eventForms()).unmaskByForm },
  '/runs': {
    get: async () => (await import('./runs/runs-page.ts')).runsPage,
    post: async () => (await newRuns()).createRunByForm,
  },
  '/runs/new': { get: async () => (await newRuns()).newRunPage },
  '/runs/:id': {
    get: async () => (await import('./runs/run-page.ts')).runPage,
    post: async () => (await import('./runs/run-actions.ts')).changeRunByForm,
  },
  '/runs/:id/events/:event': { get: async () => (await import('./edit/run-event-page.ts')).runEventPage },
  '/schedule': { post: async () => (await import('./runs/forecast-section.ts')).runNowByForm },
  '/activity': { get: async () => (await import('./activity/activity-page.ts')).activityPage },
  '/targets': { get: async () => (await import('./targets/targets-page.ts')).targetsPage },
  '/targets/:target': {
    get: async () => (await import('./targets/target-page.ts')).targetPage,
    post: async () => (await import('./targets/change-target.ts')).changeTargetByForm,
  },
};
