import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { NotFoundError } from '../../shared/errors.ts';
import type { RawEndpoint } from '../raw-requests.ts';
import { serveAsset } from './assets.ts';
import { errorPage } from './error-page.ts';
import type { ConsoleDeps } from './page.ts';
import { openPageContext } from './page-context.ts';
import { readPostedForm } from './read-posted-form.ts';
import { assertSameOrigin, assertToken } from './reject-cross-site-posts.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { type Load, sendPage, servePage } from './serve-page.ts';
import { streamNotifications } from './stream-notifications.ts';

/**
 * The server-rendered console; every page and action works without script. Each page is imported by its first request,
 * so that a cold start loads only the page it serves.
 */
export function consolePages(deps: ConsoleDeps): RawEndpoint {
  const router = Router();
  const show = (path: string, load: Load) => router.get(path, servePage(deps, load));
  const action = (path: string, load: Load) => router.post(path, servePage(deps, load));

  router.use(setSecurityHeaders);
  router.get('/assets/:name', serveAsset);
  router.use(async (request, response, next) => {
    response.locals.caller = await deps.identify(request);
    next();
  });
  router.use(assertSameOrigin, readPostedForm(), assertToken);
  if (deps.listen) router.get('/notifications', streamNotifications(deps.listen));
  show('/', async () => (await import('./overview/overview.ts')).overview);
  show('/groups', async () => (await import('./groups/groups-page.ts')).groupsPage);
  action('/groups/selection', async () => (await import('./groups/group-selection.ts')).changeSelected);
  show('/groups/:fingerprint', async () => (await import('./groups/group-page.ts')).groupPage);
  action('/groups/:fingerprint', async () => (await import('./groups/group-form.ts')).changeGroupByForm);
  show('/groups/:fingerprint/merge', async () => (await import('./groups/merge-page.ts')).mergePage);
  action('/groups/:fingerprint/merge', async () => (await import('./groups/merge-page.ts')).mergeByForm);
  action('/groups/:fingerprint/split', async () => (await import('./groups/merge-page.ts')).splitByForm);
  for (const scope of ['events', 'events/archive'] as const)
    show(`/${scope}`, async () => (await import('./events/events-page.ts')).eventsPage(scope));
  show('/events/find', async () => (await import('./events/filter-form.ts')).redirectToEvents);
  show('/events/selection', async () => (await import('./events/selection.ts')).redirectToAction);
  router.get('/events/export', async (request, response) => {
    const { exportList } = await import('./events/export-page.ts');
    await exportList(deps, request, response);
  });
  for (const name of ['discard', 'reopen', 'reprioritize'] as const) {
    show(`/events/${name}`, async () => (await import('./actions/action-page.ts')).actionPage(name));
    action(`/events/${name}`, async () => (await import('./actions/action-page.ts')).runActionByForm(name));
  }
  router.get('/events/:id/body', async (request, response) => {
    const { downloadBody } = await import('./events/download-body.ts');
    await downloadBody(deps, request, response);
  });
  router.get('/events/:id/stack', async (request, response) => {
    const { downloadStack } = await import('./events/download-body.ts');
    await downloadStack(deps, request, response);
  });
  show('/events/:id/edit', async () => (await import('./edit/edit-page.ts')).editPage);
  action('/events/:id/restore', async () => (await import('./events/event-forms.ts')).restoreByForm);
  action('/events/:id/unmask', async () => (await import('./events/event-forms.ts')).unmaskByForm);
  action('/events/:id/edit', async () => (await import('./edit/edit-page.ts')).previewEdit);
  show('/events/:id', async () => (await import('./events/event-page.ts')).eventPage);
  show('/runs', async () => (await import('./runs/runs-page.ts')).runsPage);
  show('/runs/new', async () => (await import('./runs/new-run-page.ts')).newRunPage);
  action('/runs', async () => (await import('./runs/new-run-page.ts')).createRunByForm);
  show('/runs/:id', async () => (await import('./runs/run-page.ts')).runPage);
  show('/runs/:id/events/:event', async () => (await import('./edit/run-event-page.ts')).runEventPage);
  action('/runs/:id', async () => (await import('./runs/run-actions.ts')).changeRunByForm);
  action('/schedule', async () => (await import('./runs/forecast-section.ts')).runNowByForm);
  show('/activity', async () => (await import('./activity/activity-page.ts')).activityPage);
  show('/targets', async () => (await import('./targets/targets-page.ts')).targetsPage);
  show('/targets/:target', async () => (await import('./targets/target-page.ts')).targetPage);
  action('/targets/:target', async () => (await import('./targets/change-target.ts')).changeTargetByForm);
  router.use(() => {
    throw new NotFoundError('Page not found');
  });
  // Express recognizes an error handler by its four parameters.
  router.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const context = openPageContext(request, response, deps);
    sendPage(response, context, errorPage(error, context.path));
  });
  // Cookies are secure if the request came to Google's front end over TLS.
  const root = express().disable('x-powered-by').disable('etag').enable('trust proxy').use(router);
  return async (request, response) => {
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      root(request, response);
    });
  };
}
