import type pg from 'pg';
import { countEvents, findFailedEvent } from '../database/counts.ts';
import { describeNextSteps, type HintFacts } from './hints.ts';
import { describeCounts } from './summary.ts';

export type Bulletin = {
  readonly pool: pg.Pool;
  readonly hints: Omit<HintFacts, 'failedEvent'>;
  /** How long the first failure is waited for, before hints are given without one. */
  readonly patienceMs: number;
  readonly countUnrouted: () => number;
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
};

const summaryEveryMs = 30_000;
const lookEveryMs = 1000;

/** Says now and then how things stand, and once what to try next. Returns how to end it. */
export function startBulletin(bulletin: Bulletin): () => void {
  const summaries = setInterval(() => sayCounts(bulletin).catch(ignore), summaryEveryMs);
  const endsAt = Date.now() + bulletin.patienceMs;
  let look: NodeJS.Timeout | undefined;
  const lookForFailure = async () => {
    const failedEvent = await findFailedEvent(bulletin.pool);
    if (failedEvent === undefined && Date.now() < endsAt) {
      look = setTimeout(() => lookForFailure().catch(ignore), lookEveryMs);
    } else {
      bulletin.print(describeNextSteps({ ...bulletin.hints, failedEvent }));
    }
  };
  lookForFailure().catch(ignore);
  return () => {
    clearInterval(summaries);
    clearTimeout(look);
  };
}

async function sayCounts({ pool, countUnrouted, say }: Bulletin): Promise<void> {
  say(describeCounts(await countEvents(pool), countUnrouted()));
}

/** A database that is away for a moment says so elsewhere. */
function ignore(): void {}
