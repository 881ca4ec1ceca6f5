import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { retryConfig } from '../support/routes.ts';
import { playDays } from './play-days.ts';
import { scenes } from './scenes.ts';

describe('a month', () => {
  const database = useDatabase();
  it('plays', async () => {
    const only = process.env.ONLY ? new RegExp(process.env.ONLY) : /./;
    const world = {
      db: database().db,
      sql: database().sql,
      retry: retryConfig({ tickBudgetSeconds: Number(process.env.BUDGET ?? 10), leaseSeconds: 60 }),
    };
    const results = await playDays(
      {
        ...world,
        after: async () => {
          if (process.env.SHOW)
            console.log(
              (
                await database().sql(
                  `select target, cause, state, answer, consecutive_failures, probes, cooldown_seconds, pace, (select count(*) from dlq_events e where is_open and e.cause = b.cause) as waiting from dlq_breakers b order by 1,2`,
                )
              )
                .map((r) => JSON.stringify(r))
                .join('\n'),
            );
        },
      } as typeof world,
      scenes.filter(({ name }) => only.test(name)),
      Number(process.env.TICKS ?? 12),
    );
    for (const { waits, ...r } of results) {
      const at = (q: number) => waits[Math.min(waits.length - 1, Math.floor(q * waits.length))];
      console.log(
        r.scene.padEnd(56),
        `waits ${at(0.5)} ${at(0.95)} ${waits.at(-1)}`.padEnd(16),
        JSON.stringify({ ...r, scene: undefined }),
      );
    }
  });
});
