import type { DeliveryDeps } from '../../../shared/deliver-batch.ts';
import { statement } from '../../../shared/sql.ts';
import { workOnReplay } from './work-on-replay.ts';

const listIdleRuns = statement<Record<string, never>, { readonly id: string }>('list-idle-runs');

/** Works on the replays that nobody works on, one after the other, until `endsAt`: their workers' time was spent, or they died. */
export async function continueReplays(deps: DeliveryDeps, endsAt: number): Promise<void> {
  for (const { id } of await listIdleRuns(deps.db, {})) await workOnReplay(deps, id, endsAt);
}
