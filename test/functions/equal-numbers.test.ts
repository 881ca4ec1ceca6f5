import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { report } from '../../functions/maintain/metrics.ts';
import { periodUpTo } from '../../shared/counts/periods.ts';
import { sumSteps } from '../../shared/counts/sum-steps.ts';
import { refresh } from '../../shared/groups/refresh-groups.ts';
import { formatMetrics, listMetrics } from '../../shared/metrics/format-metrics.ts';
import { holdTarget } from '../../shared/targets/change-hold.ts';
import { useApi } from '../support/api.ts';
import { useConsole } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { archiveAndRestore, captureSome, flood, kinds, stopClocks } from '../support/flood.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { aRouteTo, retryConfig } from '../support/routes.ts';
import { tries } from '../support/sample.ts';
import { shownRows, shownStat, shownSum } from '../support/shown-numbers.ts';

const names = kinds.filter((kind) => kind !== 'unrouted');

type Counts = Readonly<
  Record<'open' | 'failedPermanently' | 'failures' | 'deliveries' | 'due' | 'heldBack', number>
>;

describe('in a flood, at any moment without a statement in flight,', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = names.map((name) =>
    aRouteTo(`http://127.0.0.1:0/${name}`, {
      match: { eventType: `${name}.*` },
      ordered: name === 'ordered',
    }),
  );
  const retry = retryConfig();
  const served = useConsole(database, { routes, retry });
  const api = useApi(database, { routes, retry });
  const deps = () => ({ db: database().db, routes, retry });
  const page = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const nameOf = (url: string | null) => names.find((name) => url?.endsWith(`/${name}`)) ?? 'unrouted';
  const named = (rows: ReadonlyMap<string, readonly number[]>) =>
    new Map([...rows].map(([url, numbers]) => [nameOf(url), numbers]));

  before(async () => {
    for (const { target: to } of routes) {
      if (to.kind === 'http') Object.assign(to, { url: `${target().url}${nameOf(to.url)}` });
    }
    await holdTarget(deps(), { target: `${target().url}held`, actor: 'ann', reason: 'maintenance' });
  });

  /** As in the tables: the state of each event, and what the events of targets wait for. */
  const count = async () => {
    const [row] = await database().sql<Record<'open' | 'failedPermanently', number>>(
      `select count(*) filter (where is_open)::int as open,
         count(*) filter (where is_blocking and not is_open)::int as "failedPermanently" from dlq_events`,
    );
    return row;
  };

  type Group = {
    readonly fingerprint: string;
    readonly open: number;
    readonly failedPermanently: number;
    readonly failures: number;
    readonly failuresIn24Hours: number;
  };
  type Forecast = {
    readonly due: number;
    readonly heldBack: number;
  };
  type Target = {
    readonly target: string;
    readonly waiting: number;
    readonly due: number;
    readonly heldBack: number;
  };
  const sum = <Item>(items: readonly Item[], of: (item: Item) => number) =>
    items.reduce((total, item) => total + of(item), 0);

  const readAll = async () => {
    const items = async <Item>(path: string) => (await api().get<{ items: Item[] }>(path)).body.items;
    const [overview, runs, targetsPage, groupsPage, schedule, targets, groups, steps, measured] =
      await Promise.all([
        page('?range=24h'),
        page('runs'),
        page('targets'),
        page('groups?view=all'),
        api().get<Forecast>('/schedule'),
        items<Target>('/targets'),
        items<Group>('/groups?limit=100'),
        sumSteps(database().db, periodUpTo(new Date(), '24h')),
        report(deps()),
      ]);
    const detail = await Promise.all(
      targets.map((each) => page(`targets/${encodeURIComponent(each.target)}`)),
    );
    return {
      overview,
      runs,
      targetsPage,
      groupsPage,
      schedule: schedule.body,
      targets,
      groups,
      steps: steps.steps,
      measured,
      detail,
    };
  };

  const assertEqualNumbers = async () => {
    const [found, counted] = [await readAll(), await count()];
    const { overview, runs, groups, schedule, targets, measured, steps } = found;
    const log = listMetrics(measured);
    const metrics = [...readMetrics(formatMetrics(measured))];
    const total = (name: string) =>
      sum(
        metrics.filter(([key]) => key.startsWith(`dead_letter_${name}{`)),
        ([, value]) => value,
      );
    const ofDay = steps.filter(({ step }) => step >= 0);
    const expected: Counts = {
      open: counted?.open ?? -1,
      failedPermanently: counted?.failedPermanently ?? -1,
      failures: (log.captured_24h ?? 0) + (log.recurrences_24h ?? 0),
      deliveries: log.delivered_24h ?? -1,
      due: schedule.due,
      heldBack: schedule.heldBack,
    };
    const shown = {
      overview: {
        open: shownStat(overview, 'Open'),
        failedPermanently: shownStat(overview, 'Failed permanently'),
        failures: shownSum(overview, 'failures'),
        deliveries: shownSum(overview, 'deliveries'),
        due: shownStat(overview, 'Due now'),
      },
      runs: { due: shownStat(runs, 'Due now'), heldBack: shownStat(runs, 'Held back') },
      groups: {
        open: sum(groups, ({ open }) => open),
        failedPermanently: sum(groups, ({ failedPermanently }) => failedPermanently),
        failures: sum(groups, ({ failuresIn24Hours }) => failuresIn24Hours),
      },
      'groups, in all': { failures: sum(groups, ({ failures }) => failures) },
      targets: {
        open: sum(targets, ({ waiting }) => waiting) + (log.unrouted_events ?? 0),
        due: sum(targets, ({ due }) => due),
      },
      counts: {
        failures: sum(ofDay, ({ failures }) => failures),
        deliveries: sum(ofDay, ({ deliveries }) => deliveries ?? 0),
      },
      metrics: {
        failures: total('total') + total('recurrences_total'),
        deliveries: total('deliveries_total'),
      },
      log: {
        open: (log.depth_pending ?? 0) + (log.depth_processing ?? 0),
        failedPermanently: log.depth_failed_permanently,
      },
    };
    for (const [place, numbers] of Object.entries(shown)) {
      assert.deepEqual({ ...expected, ...numbers }, expected, place);
    }
    assert.deepEqual(
      shownRows(found.groupsPage, 'groups', ['Open', 'Permanent']),
      new Map(groups.map((group) => [group.fingerprint, [group.open, group.failedPermanently]])),
    );
    const ofTargets = targets.map((each) => [nameOf(each.target), [each.waiting]] as const);
    assert.deepEqual(named(shownRows(found.targetsPage, 'targets', ['Waiting'])), new Map(ofTargets));
    assert.deepEqual(
      found.detail.map((html) => [shownStat(html, 'Waiting'), shownStat(html, 'Due now')]),
      targets.map(({ waiting, due }) => [waiting, due]),
    );
  };

  it('overview, runs, targets, errors, API and metrics show the same numbers', async () => {
    for (let round = 0; round < tries(20); round++) {
      await flood(database(), deps(), target());
      await assertEqualNumbers();
    }
  });

  it('they do so too while the counts of a flood cannot be aggregated', async () => {
    await refresh(database().db);
    const total = 'select from dlq_counts where hour is null and event_type is null for update';
    await whileTransactionIsOpen(database().url, total, async () => {
      await Promise.all([captureSome(database()), captureSome(database()), archiveAndRestore(database())]);
      await stopClocks(database());
      await assertEqualNumbers();
    });
  });
});
