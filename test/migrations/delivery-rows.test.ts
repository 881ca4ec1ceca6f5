import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';

const replay = (columns: string, values: string) =>
  `insert into dlq_runs (trigger, selected, ${columns}) values ('replay', 3, ${values})`;
const breaker = (columns: string, values: string) =>
  `insert into dlq_breakers (target, ${columns}) values ('shop', ${values})`;
const attempt = (outcome: string) =>
  `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
   values (1, 1, '${outcome}', 'shop', now(), 1)`;
const lease = (columns: string, values: string) =>
  `insert into dlq_leases (token, event_ids, ${columns}) values (gen_random_uuid(), '{1}', ${values})`;
const open = `'OPEN', now(), now()`;
const openColumns = 'state, opened_at, probe_after';
const hold = `now(), 'ann', 'why', now()`;
const holdColumns = 'held_at, held_by, held_reason, held_until';

/** By constraint: rows that it rejects, and the most similar ones that are allowed. */
const rows: Readonly<Record<string, readonly [rejected: readonly string[], allowed: readonly string[]]>> = {
  dlq_runs_trigger: [
    [`insert into dlq_runs (trigger) values ('cron')`],
    [`insert into dlq_runs (trigger, ended_at, stopped) values ('schedule', now(), 'x')`],
  ],
  dlq_runs_stopped_when_ended: [
    [replay('stopped', `'x'`), replay('ended_at', 'now()')],
    [replay('ended_at, stopped', `now(), 'x'`), replay('reason', `'x'`)],
  ],
  dlq_runs_selected: [
    [
      `insert into dlq_runs (trigger) values ('replay')`,
      `insert into dlq_runs (trigger, selected) values ('schedule', 3)`,
    ],
    [],
  ],
  dlq_runs_progress: [
    [
      ...['delivered', 'failed', 'skipped', 'in_flight'].map((column) => replay(column, '-1')),
      replay('delivered, in_flight', '2, 2'),
    ],
    [replay('delivered, in_flight', '2, 1'), replay('delivered, failed, skipped', '1, 1, 1')],
  ],
  dlq_runs_open_tick: [
    [`insert into dlq_runs (trigger) values ('schedule'), ('schedule')`],
    [
      `insert into dlq_runs (trigger, ended_at, stopped) values ('schedule', now(), 'x'), ('schedule', now(), 'x')`,
    ],
  ],
  dlq_attempts_outcome: [
    [attempt('sent')],
    ['delivered', 'transient', 'permanent', 'ambiguous', 'lost'].map(attempt),
  ],
  dlq_leases_end: [
    [lease('target, seconds', `'shop', 60`), lease('target', 'null')],
    [lease('target', `'shop'`), lease('seconds', '60')],
  ],
  dlq_breakers_state: [[breaker(openColumns, `'AJAR', now(), now()`)], [breaker(openColumns, open)]],
  dlq_breakers_opened: [
    [
      breaker('state, opened_at', `'OPEN', now()`),
      breaker('state, probe_after', `'HALF_OPEN', now()`),
      breaker('opened_at', 'now()'),
      breaker('probe_after', 'now()'),
    ],
    [breaker(openColumns, `'HALF_OPEN', now(), now()`)],
  ],
  dlq_breakers_cause: [
    [
      breaker('cause, pace', '-3, 1'),
      breaker(`cause, ${holdColumns}`, `7, ${hold}`),
      breaker(`cause, pace, ${holdColumns}`, `-2, 1, ${hold}`),
      breaker(`cause, ${openColumns}`, `-1, ${open}`),
      breaker(`cause, pace, ${openColumns}`, `-2, 1, ${open}`),
      breaker('cause', '-2'),
      breaker('cause, pace', '-1, 1'),
    ],
    [
      breaker('cause, pace', '-2, 1'),
      breaker(`cause, ${holdColumns}`, `-1, ${hold}`),
      breaker(`cause, ${openColumns}`, `7, ${open}`),
      breaker('cause', '-1'),
    ],
  ],
  dlq_breakers_pace: [
    [
      breaker('pace', '0'),
      breaker('pace, peak', '1, 0'),
      breaker('peak', '1'),
      breaker('paused_until', 'now()'),
    ],
    [breaker('pace, peak, paused_until', '1, 1, now()')],
  ],
  dlq_breakers_held: [
    [breaker('held_at', 'now()'), breaker('held_at, held_by, held_reason', `now(), 'ann', 'why'`)],
    [breaker(holdColumns, hold)],
  ],
};

describe('the tables of runs, attempts, leases and breakers', () => {
  const database = useDatabase();

  for (const [constraint, [rejected, allowed]] of Object.entries(rows)) {
    it(`reject by ${constraint} what contradicts itself, and nothing else`, async () => {
      for (const row of rejected) await assert.rejects(database().sql(row), { constraint }, row);
      for (const row of allowed) {
        await database().sql(row);
        await database().clear();
      }
    });
  }
});
