import { actByForm, actPage } from '../../functions/console/acts/act-page.ts';
import type { ConsoleDeps } from '../../functions/console/console-deps.ts';
import { editPage } from '../../functions/console/edit/edit-page.ts';
import { archivePage } from '../../functions/console/events/archive-page.ts';
import { eventPage } from '../../functions/console/events/event-page.ts';
import { eventsPage } from '../../functions/console/events/events-page.ts';
import { restoreByForm } from '../../functions/console/events/restore.ts';
import { revealByForm } from '../../functions/console/events/reveal.ts';
import { changeGroupByForm } from '../../functions/console/groups/change-group-by-form.ts';
import { groupPage } from '../../functions/console/groups/group-page.ts';
import { groupsPage } from '../../functions/console/groups/groups-page.ts';
import { overview } from '../../functions/console/overview/overview.ts';
import { changeRunByForm } from '../../functions/console/runs/change-run-by-form.ts';
import { createRunByForm } from '../../functions/console/runs/create-run-by-form.ts';
import { newRunPage } from '../../functions/console/runs/new-run-page.ts';
import { choiceOf } from '../../functions/console/runs/replay-form.ts';
import { runPage } from '../../functions/console/runs/run-page.ts';
import { runsPage } from '../../functions/console/runs/runs-page.ts';
import { targetsPage } from '../../functions/console/targets/targets-page.ts';
import type { Visit } from '../../functions/console/visit.ts';
import { operator } from './console.ts';

type Sent = {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly form?: Record<string, string>;
};

/** A visit of an operator. */
export function aVisit({ params = {}, query = {}, form = {} }: Sent = {}): Visit {
  return {
    path: '/',
    base: '/',
    params,
    query: new URLSearchParams(query),
    form: new URLSearchParams(form),
    caller: operator,
    csrf: 'token',
    theme: undefined,
    notice: undefined,
    hasNews: false,
    now: new Date(),
  };
}

type Event = { readonly id: string; readonly fingerprint: string };

/** Everything that people do in the console with an event that has a fingerprint and a route with a mask. */
export async function useConsolePages(deps: ConsoleDeps, { id, fingerprint }: Event): Promise<void> {
  const reason = 'a test';
  const q = `id:${id}`;
  const params = { id, fingerprint };
  for (const page of [archivePage, overview, groupsPage, eventsPage, runsPage, targetsPage])
    await page(deps, aVisit());
  await groupPage(deps, aVisit({ params }));
  for (const state of ['ACKNOWLEDGED', 'OPEN']) {
    await changeGroupByForm(deps, aVisit({ params, form: { state, owner: 'ada', note: 'x', reason } }));
  }
  const { to } = await revealByForm(deps, aVisit({ params, form: { reason } }));
  const query = { reveal: new URL(to, 'http://console').searchParams.get('reveal') ?? '' };
  for (const page of [eventPage, editPage]) await page(deps, aVisit({ params, query }));

  await newRunPage(deps, aVisit({ query: { q } }));
  const wanted = { q, includeSucceeded: 'on', includeDiscarded: 'on', reason };
  const seen = { seen: choiceOf(wanted), key: 'console', edit: '{"headers": {}}' };
  const made = await createRunByForm(deps, aVisit({ form: { ...wanted, ...seen } }));
  const run = { id: 'to' in made ? (made.to.split('/').at(-1) ?? '') : '' };
  for (const act of ['pause', 'resume', 'cancel']) {
    await changeRunByForm(deps, aVisit({ params: run, form: { act, reason } }));
  }
  await runPage(deps, aVisit({ params: run }));

  for (const name of ['discard', 'reopen', 'reprioritise'] as const) {
    await actPage(name)(deps, aVisit({ query: { q } }));
    await actByForm(name)(deps, aVisit({ form: { q, reason, priority: '3' } }));
  }
  await restoreByForm(deps, aVisit({ params, form: { reason } }));
}
