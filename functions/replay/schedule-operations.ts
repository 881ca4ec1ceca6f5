import * as v from 'valibot';
import { reasonEntry } from '../../shared/events/actions/operator-text.ts';
import { maxBigint } from '../../shared/events/event-id.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import { ForecastSchema, forecast } from '../../shared/schedule/forecast.ts';
import { requestTick } from '../../shared/schedule/request-tick.ts';
import { readSnapshot } from '../../shared/schedule/snapshot.ts';
import { listBusyTicks, TickSchema } from '../../shared/schedule/ticks.ts';
import { operation } from './api/operation.ts';
import { pageOf, pageQuery, readPage, toPage } from './api/page.ts';

const ReasonSchema = v.strictObject({ reason: reasonEntry });

export const showScheduleOperation = operation(
  {
    summary: 'Show what the schedule retries next',
    description:
      'The events that are due now and within the hour, by target: how many a tick that starts now would claim, and what holds the others.',
    returns: ForecastSchema,
  },
  async (deps: ReplayDeps) => ({ body: await forecast(deps, await readSnapshot(deps)) }),
);

export const listTicksOperation = operation(
  {
    summary: 'List scheduled retries',
    description:
      'The ticks that claimed events or are still running, each with its tally, in all and by target.',
    query: pageQuery,
    returns: pageOf(TickSchema),
  },
  async ({ db }: ReplayDeps, request) => {
    const { start: before = maxBigint, page } = readPage(request);
    return { body: toPage(await listBusyTicks(db, { before, limit: page.limit + 1 }), page) };
  },
);

export const runNowOperation = operation(
  {
    summary: 'Retry what is due now',
    description:
      'Requests a tick from the function `retry`, beside the schedule. A tick that is running is extended to what is due now. The answer does not wait for it.',
    body: ReasonSchema,
    statuses: [202],
    returns: ForecastSchema,
  },
  async (deps: ReplayDeps, { body: { reason }, caller }) => {
    const expected = await forecast(deps, await readSnapshot(deps));
    await requestTick(deps, { actor: caller.name, reason });
    return { status: 202, body: expected };
  },
);
