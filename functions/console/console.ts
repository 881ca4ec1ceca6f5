import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { NotFoundError } from '../../shared/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { actByForm, actPage } from './acts/act-page.ts';
import { type ActName, acts } from './acts/acts.ts';
import { serveAsset } from './assets.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { editPage, previewEdit } from './edit/edit-page.ts';
import { errorPage } from './error-page.ts';
import { archivePage } from './events/archive-page.ts';
import { downloadBody } from './events/download-body.ts';
import { eventPage } from './events/event-page.ts';
import { eventsPage } from './events/events-page.ts';
import { composeText } from './events/filter-form.ts';
import { restoreByForm } from './events/restore.ts';
import { revealByForm } from './events/reveal.ts';
import { searchLink } from './events/search.ts';
import { leadToAct } from './events/selection.ts';
import { changeGroupByForm } from './groups/change-group-by-form.ts';
import { groupPage } from './groups/group-page.ts';
import { groupsPage } from './groups/groups-page.ts';
import { overview } from './overview/overview.ts';
import { refuseForeignPosts } from './refuse-foreign-posts.ts';
import { changeRunByForm } from './runs/change-run-by-form.ts';
import { createRunByForm } from './runs/create-run-by-form.ts';
import { newRunPage } from './runs/new-run-page.ts';
import { runPage } from './runs/run-page.ts';
import { runsPage } from './runs/runs-page.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { type Act, acting, type ShowPage, sendPage, showing } from './serve-page.ts';
import { targetsPage } from './targets/targets-page.ts';
import { tellNews } from './tell-news.ts';
import { chooseTheme } from './theme.ts';
import { openVisit, type Person } from './visit.ts';

/** The pages for people, server-rendered: they look, and act, without any script. */
export function consolePages(deps: ConsoleDeps): Endpoint {
  const { base } = deps;
  const router = Router();
  const act = (path: string, work: Act) => router.post(path, acting(base, work));
  const show = (path: string, page: ShowPage) => router.get(path, showing(base, page));

  router.use(setSecurityHeaders);
  router.get('/assets/:name', serveAsset);
  router.use(identifyBy(deps));
  router.use(refuseForeignPosts);
  if (deps.listen) router.get('/news', tellNews(deps.listen));
  router.post('/theme', chooseTheme(base));
  show('/', (visit) => overview(deps, visit));
  show('/groups', (visit) => groupsPage(deps, visit));
  show('/groups/:fingerprint', (visit) => groupPage(deps, visit));
  act('/groups/:fingerprint', (visit) => changeGroupByForm(deps, visit));
  show('/events', (visit) => eventsPage(deps, visit));
  show('/events/archive', (visit) => archivePage(deps, visit));
  router.get('/events/find', (request, response) => {
    response.redirect(
      303,
      base + searchLink(composeText(new URL(request.url, 'http://console').searchParams)),
    );
  });
  router.get('/events/selection', leadToAct(base));
  for (const name of Object.keys(acts) as ActName[]) {
    show(`/events/${name}`, (visit) => actPage(deps, visit, name));
    act(`/events/${name}`, (visit) => actByForm(deps, visit, name));
  }
  router.get('/events/:id/body', downloadBody(deps));
  show('/events/:id/edit', (visit) => editPage(deps, visit));
  act('/events/:id/restore', (visit) => restoreByForm(deps, visit));
  act('/events/:id/reveal', (visit) => revealByForm(deps, visit));
  act('/events/:id/edit', (visit) => previewEdit(deps, visit));
  show('/events/:id', (visit) => eventPage(deps, visit));
  show('/runs', (visit) => runsPage(deps, visit));
  show('/runs/new', (visit) => newRunPage(deps, visit));
  act('/runs', (visit) => createRunByForm(deps, visit));
  show('/runs/:id', (visit) => runPage(deps, visit));
  act('/runs/:id', (visit) => changeRunByForm(deps, visit));
  show('/targets', (visit) => targetsPage(deps, visit));
  router.use(() => {
    throw new NotFoundError('There is no such page');
  });
  router.use(answerError(base));
  return async (request, response) => {
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      router(request, response, () => response.end());
    });
  };
}

/** Who could not be identified sees only what is wrong. */
const nobody: Person = { name: 'Nobody', via: 'local', isOperator: false };

function identifyBy({ identify, listen }: ConsoleDeps): RequestHandler {
  return async (request, response, next) => {
    response.locals.caller = await identify(request);
    response.locals.hasNews = listen !== undefined;
    next();
  };
}

/** Express knows a handler of errors by its four parameters. */
function answerError(base: string): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const caller = (response.locals.caller as Person | undefined) ?? nobody;
    sendPage(response, openVisit(request, response, { base, caller }), errorPage(error));
  };
}
