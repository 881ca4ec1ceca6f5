import { forgetCounts } from './forget-counts.ts';
import type { MaintainDeps } from './maintain-deps.ts';
import { report } from './metrics/metrics.ts';
import { takeStock } from './take-stock.ts';

/** Work that is due every day. Says in numbers what it did; begins nothing new after `endsAt` (ms since the epoch). */
export type Chore = (deps: MaintainDeps, endsAt: number) => Promise<Readonly<Record<string, number>>>;

/** What maintain does, in this order. A new chore is one line here. */
export const chores: Readonly<Record<string, Chore>> = {
  'take stock': ({ db }) => takeStock(db),
  'forget counts': ({ db }) => forgetCounts(db),
  'report figures': async (deps) => {
    await report(deps);
    return {};
  },
};
