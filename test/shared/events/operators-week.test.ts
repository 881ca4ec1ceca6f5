import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { archiveClosed } from '../../../shared/archive/archive-closed.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { discard, reopen, reprioritize } from '../../../shared/events/actions/actions.ts';
import type { EventAction } from '../../../shared/events/actions/define-action.ts';
import { runAction } from '../../../shared/events/actions/run-action.ts';
import { statuses } from '../../../shared/message/event.ts';
import { changeRun } from '../../../shared/replay/run.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { stopEverything, undoAction } from '../../../shared/targets/change-hold.ts';
import { archiveTerms } from '../../support/archived-event.ts';
import { aCapture } from '../../support/captures.ts';
import { compareWeek, passTime } from '../../support/compare-week.ts';
import { useDatabase } from '../../support/database.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import * as model from '../../support/operators-week.ts';
import { redelivery } from '../../support/redelivery.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';
import { tries } from '../../support/sample.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const firstSeed = Number(process.env.TEST_SEED ?? 1);
const steps = 60;

describe("the operators' week", () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const sql = <Row>(text: string, values?: unknown[]) =>
    database().sql<Row & Record<string, unknown>>(text, values);
  const routes = () => [aRouteTo(target().url, { policy: model.policy })];
  const deps = () => ({
    db: database().db,
    routes: routes(),
    retry: retryConfig({ tickBudgetSeconds: 300 }),
    costLimit: 0,
  });
  const limits = () => ({ db: database().db, maxRecurrences: 1000, repeatSeconds: 600 });

  const open = (seed: number) => {
    const random = seededRandom(seed);
    const week = model.openWeek();
    const below = (n: number) => Math.floor(random() * n);
    const stored = () => week.events.filter(({ status }) => status !== 'ARCHIVED');
    /** Some of the events, by their ids. */
    const some = () => stored().filter(() => below(3) === 0);
    return { week, below, stored, some };
  };
  type Play = ReturnType<typeof open>;

  const act = async (
    { week }: Play,
    { read }: EventAction,
    chosen: readonly model.Predicted[],
    more: object,
    change: object,
  ) => {
    if (chosen.length === 0) return 0;
    const body = { filter: { ids: chosen.map(({ id }) => id) }, reason: 'a test', ...more };
    const { action } = read({ body, actor: 'ada', now: new Date() });
    const { auditId, changed } = await runAction(deps(), action);
    assert.equal(changed, chosen.length);
    week.entries.push({ auditId, changes: chosen.map((event) => model.predictChange(week, event, change)) });
    return changed;
  };
  const isOneOf =
    (...statuses: string[]) =>
    ({ status }: model.Predicted) =>
      statuses.includes(status);
  /** An original that an edit replaced stays closed. */
  const isInPlace = ({ status, isReplaced }: model.Predicted) => status !== 'DISCARDED' || !isReplaced;
  const replay = async (chosen: readonly model.Predicted[], more: object) => {
    const filter = { ids: chosen.map(({ id }) => id), status: statuses };
    const request = { filter, toHeldTargets: true, ...more };
    return aRun(deps(), request);
  };
  const work = (id: string) => workOnReplay(deps(), id, { endsAt: Date.now() + 600_000 });

  let words = 0;
  /** Another one each time: what a target refuses alike waits together, which has tests of its own. */
  const aWord = () => `${words++}`.replaceAll(/\d/g, (digit) => 'ghjkmnpqrs'[Number(digit)] ?? '');

  const moves: Record<string, (play: Play) => Promise<unknown>> = {
    'a failure is captured': async ({ week }) => {
      const name = `${week.counted.captures + 1}`;
      const body = `{"n":${name}}`;
      const capture = aCapture({ body: Buffer.from(body), eventKey: `id:${name}`, eventId: name });
      const [captured] = await storeCaptures(limits(), [capture]);
      model.predictCapture(week, captured?.id ?? '', body);
    },
    'a consumer fails again': async ({ week, stored, below }) => {
      const delivered = stored().filter(({ status, deliveries }) => status === 'SUCCEEDED' && deliveries > 0);
      const event = delivered[below(delivered.length)];
      if (!event) return;
      const [row] = await sql<{ redelivery: string }>(
        `select ${redelivery} as redelivery from dlq_events where id = $1`,
        [event.id],
      );
      const told = {
        redelivery: row?.redelivery ?? '',
        attempt: event.deliveries,
        deliveryId: `${week.lastVersion}`,
      };
      await storeCaptures(limits(), [
        aCapture({ body: Buffer.from(event.body), eventKey: 'id:other', ...told }),
      ]);
      model.predictRecurrence(week, event);
    },
    'the target answers otherwise': async ({ week, below }) => {
      week.answer = ([200, 422, 503] as const)[below(3)] ?? 200;
      target().answer = (_, response) => response.writeHead(week.answer).end(aWord());
    },
    'time passes': ({ week, below }) => passTime(database(), week, 1 + below(3)),
    'a tick': async ({ week, stored }) => {
      // What failed after it was accepted waits for single samples, which have tests of their own, too.
      await sql('delete from dlq_breakers where cause > 0');
      await runTick(deps());
      const due = stored().filter(
        ({ status, dueAt }) => status === 'PENDING' && dueAt <= week.now && !week.isHeld,
      );
      for (const event of due) model.predictDelivery(week, event, false);
    },
    'a discard': async (play) => {
      const chosen = play.some().filter(isOneOf('PENDING', 'FAILED_PERMANENTLY'));
      play.week.counted.discards += await act(play, discard, chosen, {}, { status: 'DISCARDED' });
    },
    'a reopening': (play) =>
      act(
        play,
        reopen,
        play.some().filter(isOneOf('DISCARDED', 'FAILED_PERMANENTLY')).filter(isInPlace),
        {},
        { status: 'PENDING', retries: 0, dueAt: play.week.now },
      ),
    'a change of priority': (play) => {
      const priority = play.below(3);
      const chosen = play.some().filter((event) => event.status === 'PENDING' && event.priority !== priority);
      return act(play, reprioritize, chosen, { priority }, { priority });
    },
    'an edit': async (play) => {
      const [event] = play.some().filter(isInPlace);
      if (!event) return;
      const body = `{"edited":${play.week.lastVersion}}`;
      const run = await replay([event], { edit: { body } });
      const [row] = await sql<{ id: string; audit_id: string }>(
        "select event_id as id, (select max(id) from dlq_audit where action = 'edit') as audit_id from dlq_run_events where run_id = $1",
        [run.id],
      );
      const changed = model.predictEdit(play.week, event, row?.id ?? '', body);
      play.week.entries.push({ auditId: row?.audit_id ?? '', changes: [changed] });
      await workOrCancel(play, run.id, changed.edit ? [changed.edit.event] : []);
    },
    'a patch': async (play) => {
      const chosen = play.some().filter(isInPlace);
      if (chosen.length === 0) return;
      const value = play.week.lastVersion;
      const run = await replay(chosen, {
        patch: [{ op: 'add', path: '/patched', value }],
      });
      // Without a route, a worker edits the events and delivers none.
      await workOnReplay({ ...deps(), routes: [] }, run.id, { endsAt: Date.now() + 600_000 });
      const edits = await sql<{ id: string; edited_from: string; body: string }>(
        `select event.id, position, convert_from(body, 'UTF8') as body from dlq_run_events join dlq_events as event on event.id = dlq_run_events.event_id where run_id = $1 order by position`,
        [run.id],
      );
      const ordered = chosen.toSorted((a, b) => place(a) - place(b) || Number(a.id) - Number(b.id));
      const changes = ordered.map((event, i) =>
        model.predictEdit(play.week, event, edits[i]?.id ?? '', edits[i]?.body ?? ''),
      );
      const [entry] = await sql<{ id: string }>(
        `select id from dlq_audit where run_id = $1 and action = 'create run'`,
        [run.id],
      );
      play.week.entries.push({ auditId: entry?.id ?? '', changes });
      await changeRun(database().db, 'cancel', { runId: run.id, actor: 'ada', reason: null });
    },
    'a replay': async (play) => {
      const chosen = play.some().filter(isInPlace);
      if (chosen.length === 0) return;
      const run = await replay(chosen, {});
      await workOrCancel(play, run.id, chosen);
    },
    'an undo': async ({ week, below }) => {
      const entry = week.entries[below(week.entries.length)];
      if (!entry) return;
      const undo = { id: entry.auditId, actor: 'ben', reason: 'a mistake' };
      const { remaining } = await undoAction(deps(), { ...undo, dryRun: true });
      const { changed } = await undoAction(deps(), { ...undo, dryRun: false });
      assert.deepEqual([remaining, changed], [changed, model.predictUndo(entry)]);
    },
    'a stop, or its end': async ({ week }) => {
      const by = { actor: 'ada', reason: 'an incident' };
      if (!week.isHeld) await stopEverything(deps(), by);
      else {
        const [stop] = await sql<{ id: string }>(`select max(id) as id from dlq_audit where action = 'stop'`);
        await undoAction(deps(), { id: stop?.id ?? '', ...by, dryRun: false });
      }
      week.isHeld = !week.isHeld;
    },
    'forty days': async ({ week, stored, below }) => {
      if (below(3) > 0) return;
      await passTime(database(), week, 40 * 24);
      await archiveClosed(database().db, archiveTerms, Number.POSITIVE_INFINITY);
      for (const event of stored().filter(isOneOf('SUCCEEDED', 'DISCARDED')))
        model.predictChange(week, event, { status: 'ARCHIVED' });
    },
  };

  const place = ({ id, editedFrom }: model.Predicted) => Number(editedFrom ?? id);

  /** A run of these events is worked on, or cancelled before its first delivery. */
  const workOrCancel = async ({ week, below }: Play, id: string, events: readonly model.Predicted[]) => {
    if (events.length === 0) return;
    if (below(3) === 0) {
      await changeRun(database().db, 'cancel', { runId: id, actor: 'ada', reason: null });
      return;
    }
    await work(id);
    for (const event of events) model.predictDelivery(week, event, true);
  };

  for (let seed = firstSeed; seed < firstSeed + tries(20); seed++) {
    it(`each event is as the model predicts it after every step, and something moves it: seed ${seed}`, async () => {
      await database().clear();
      target().answer = (_, response) => response.writeHead(200).end();
      target().received.length = 0;
      const play = open(seed);
      const names = Object.keys(moves);
      const done: string[] = [];
      for (let step = 0; step < steps; step++) {
        const name = step < 5 ? 'a failure is captured' : (names[play.below(names.length)] ?? '');
        done.push(name);
        await moves[name]?.(play);
        const told = `${step}: ${done.slice(-12).join(', ')}`;
        await compareWeek(database(), play.week, told);
        assert.equal(target().received.length, play.week.sent, told);
      }
      const stuck = await sql(
        `select id from dlq_events where is_open and (status = 'PROCESSING' or retry_after = 'infinity')
         union all select id from dlq_runs where ended_at is null and paused_because is null and waiting = 0`,
      );
      assert.deepEqual(stuck, []);
    });
  }
});
