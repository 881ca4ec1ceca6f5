import { undoByForm, undoPage } from '../../functions/console/activity/activity-page.ts';
import { editPage } from '../../functions/console/edit/edit-page.ts';
import { actionPage, runActionByForm } from '../../functions/console/events/action-page.ts';
import { eventPage } from '../../functions/console/events/event-page.ts';
import { eventsPage } from '../../functions/console/events/events-page.ts';
import { changeEventByForm } from '../../functions/console/events/visible-event.ts';
import { groupPage } from '../../functions/console/groups/group-page.ts';
import { groupsPage } from '../../functions/console/groups/groups-page.ts';
import {
  mergeByForm,
  mergePage,
  splitByForm,
  splitPage,
} from '../../functions/console/groups/regroup-page.ts';
import { changeByForm } from '../../functions/console/groups/triage.ts';
import { overview } from '../../functions/console/overview/overview.ts';
import type { ConsoleDeps, PageContext } from '../../functions/console/page.ts';
import { createRunByForm, newRunPage } from '../../functions/console/runs/new-run-page.ts';
import { serializeSelection } from '../../functions/console/runs/replay-form.ts';
import { changeRunByForm, runPage } from '../../functions/console/runs/run-page.ts';
import { runsPage } from '../../functions/console/runs/runs-page.ts';
import {
  changeTargetByForm,
  stopByForm,
  targetPage,
  targetsPage,
} from '../../functions/console/targets/targets-page.ts';
import { listTargetNames } from '../../shared/delivery/routes.ts';
import { actions, reopen } from '../../shared/events/actions/actions.ts';
import { statuses } from '../../shared/message/event.ts';
import { recordTickRequest } from '../../shared/schedule/request-tick.ts';
import { operator } from './console.ts';

type Sent = {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly form?: Record<string, string>;
};

/** A request of an operator. */
export function aPageContext({ params = {}, query = {}, form = {} }: Sent = {}): PageContext {
  return {
    path: '/',
    base: '/',
    params,
    query: new URLSearchParams(query),
    form: new URLSearchParams(form),
    caller: operator,
    environment: '',
    now: new Date(),
  };
}

type Event = { readonly id: string; readonly fingerprint: string };

/**
 * Opens every page and runs every action of the console for an event with a fingerprint and a masking route.
 */
export async function useConsolePages(deps: ConsoleDeps, { id, fingerprint }: Event): Promise<void> {
  const reason = 'a test';
  const q = `id:${id}`;
  const params = { id, fingerprint };
  for (const page of [groupsPage, eventsPage('events'), eventsPage('events/archive'), runsPage, targetsPage])
    await page(deps, aPageContext());
  // The exact number is counted where there are further pages.
  await eventsPage('events')(deps, aPageContext({ query: { before: '9000000000' } }));
  await eventsPage('events')(deps, aPageContext({ query: { q: 'status:PROCESSING' } }));
  for (const range of ['1h', '24h']) {
    await overview(deps, aPageContext({ query: { range } }));
    await groupPage(deps, aPageContext({ params, query: { range } }));
  }
  const target = listTargetNames(deps.routes)[0] ?? '';
  await targetPage(deps, aPageContext({ params: { target } }));
  const stopped = await stopByForm(deps, aPageContext({ form: { reason } }));
  const stop = { id: stopped.undo ?? '' };
  await undoByForm(deps, aPageContext({ params: stop, form: { reason } }));
  for (const command of ['hold', 'release']) {
    await changeTargetByForm(deps, aPageContext({ params: { target }, form: { command, reason } }));
  }
  await recordTickRequest(deps.db, { actor: operator.name, reason });
  for (const command of ['ACKNOWLEDGED', 'OPEN']) {
    const form = { fingerprint, command, owner: 'ada', note: 'x', reason };
    await changeByForm(deps, aPageContext({ form }));
  }
  await mergePage(deps, aPageContext({ params }));
  await splitPage(deps, aPageContext({ params, query: { field: 'words', value: 'x' } }));
  for (const change of [mergeByForm, splitByForm]) {
    await change(deps, aPageContext({ params, form: { into: 'v1:other', reason } }));
  }
  const { to } = await changeEventByForm(deps, aPageContext({ params, form: { command: 'unmask', reason } }));
  const query = { unmask: new URL(to, 'http://console').searchParams.get('unmask') ?? '' };
  for (const page of [eventPage, editPage]) await page(deps, aPageContext({ params, query }));

  await useActions(deps, { q, reason });
  await newRunPage(deps, aPageContext({ query: { q } }));
  const wanted = { q: `${q} status:${statuses.join(',')}`, reason };
  const preview = { previewed: serializeSelection(wanted), key: 'console', edit: '{"headers": {}}' };
  const made = await createRunByForm(deps, aPageContext({ form: { ...wanted, ...preview } }));
  const run = { id: 'to' in made ? (made.to.split('/').at(-1) ?? '') : '' };
  for (const action of ['pause', 'resume', 'cancel']) {
    await changeRunByForm(deps, aPageContext({ params: run, form: { command: action, reason } }));
  }
  await runPage(deps, aPageContext({ params: run }));

  await changeEventByForm(deps, aPageContext({ params, form: { command: 'restore', reason } }));
}

/** Reopens the event, runs each action on it, and undoes the last one. */
async function useActions(deps: ConsoleDeps, { q, reason }: { readonly q: string; readonly reason: string }) {
  let undo = '';
  for (const action of [reopen, ...actions]) {
    await actionPage(action)(deps, aPageContext({ query: { q } }));
    const done = await runActionByForm(action)(deps, aPageContext({ form: { q, reason } }));
    undo = ('undo' in done && done.undo) || '';
  }
  await undoPage(deps, aPageContext({ params: { id: undo } }));
  await undoByForm(deps, aPageContext({ params: { id: undo }, form: { reason } }));
}
