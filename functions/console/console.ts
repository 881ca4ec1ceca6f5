import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { NotFoundError } from '../../shared/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { serveAsset } from './assets.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { errorPage } from './error-page.ts';
import { leadToAct } from './events/selection.ts';
import type { Person } from './identify-person.ts';
import { refuseForeignPosts } from './refuse-foreign-posts.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { type Act, acting, type Load, type ShowPage, sendPage, showing } from './serve-page.ts';
import { tellNews } from './tell-news.ts';
import { chooseTheme } from './theme.ts';
import { openVisit } from './visit.ts';

/**
 * The pages for people, server-rendered: they look, and act, without any script. The code of each comes with its first
 * visit, so that nobody waits for that of the others.
 */
export function consolePages(deps: ConsoleDeps): Endpoint {
  const { base } = deps;
  const router = Router();
  const show = (path: string, load: Load<ShowPage>) => router.get(path, showing(deps, load));
  const act = (path: string, load: Load<Act>) => router.post(path, acting(deps, load));

  router.use(setSecurityHeaders);
  router.get('/assets/:name', serveAsset);
  router.use(identifyBy(deps));
  router.use(refuseForeignPosts);
  if (deps.listen) router.get('/news', tellNews(deps.listen));
  router.post('/theme', chooseTheme(base));
  show('/', async () => (await import('./overview/overview.ts')).overview);
  show('/groups', async () => (await import('./groups/groups-page.ts')).groupsPage);
  show('/groups/:fingerprint', async () => (await import('./groups/group-page.ts')).groupPage);
  act(
    '/groups/:fingerprint',
    async () => (await import('./groups/change-group-by-form.ts')).changeGroupByForm,
  );
  show('/events', async () => (await import('./events/events-page.ts')).eventsPage);
  show('/events/archive', async () => (await import('./events/archive-page.ts')).archivePage);
  router.get('/events/find', async (request, response) => {
    const { leadToFound } = await import('./events/lead-to-found.ts');
    leadToFound(base, request, response);
  });
  router.get('/events/selection', leadToAct(base));
  for (const name of ['discard', 'reopen', 'reprioritise'] as const) {
    show(`/events/${name}`, async () => (await import('./acts/act-page.ts')).actPage(name));
    act(`/events/${name}`, async () => (await import('./acts/act-page.ts')).actByForm(name));
  }
  router.get('/events/:id/body', async (request, response) => {
    const { downloadBody } = await import('./events/download-body.ts');
    await downloadBody(deps, request, response);
  });
  show('/events/:id/edit', async () => (await import('./edit/edit-page.ts')).editPage);
  act('/events/:id/restore', async () => (await import('./events/restore.ts')).restoreByForm);
  act('/events/:id/reveal', async () => (await import('./events/reveal.ts')).revealByForm);
  act('/events/:id/edit', async () => (await import('./edit/edit-page.ts')).previewEdit);
  show('/events/:id', async () => (await import('./events/event-page.ts')).eventPage);
  show('/runs', async () => (await import('./runs/runs-page.ts')).runsPage);
  show('/runs/new', async () => (await import('./runs/new-run-page.ts')).newRunPage);
  act('/runs', async () => (await import('./runs/create-run-by-form.ts')).createRunByForm);
  show('/runs/:id', async () => (await import('./runs/run-page.ts')).runPage);
  act('/runs/:id', async () => (await import('./runs/change-run-by-form.ts')).changeRunByForm);
  show('/targets', async () => (await import('./targets/targets-page.ts')).targetsPage);
  router.use(() => {
    throw new NotFoundError('There is no such page');
  });
  router.use(answerError(deps));
  return async (request, response) => {
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      router(request, response, () => response.end());
    });
  };
}

/** Who could not be identified sees only what is wrong. */
const nobody: Person = { name: 'Nobody', via: 'local', isOperator: false };

function identifyBy({ identify }: ConsoleDeps): RequestHandler {
  return async (request, response, next) => {
    response.locals.caller = await identify(request);
    next();
  };
}

/** Express knows a handler of errors by its four parameters. */
function answerError(deps: ConsoleDeps): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const caller = (response.locals.caller as Person | undefined) ?? nobody;
    sendPage(response, openVisit(request, response, { deps, caller }), errorPage(error));
  };
}
