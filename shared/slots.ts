import type { Database } from './database.ts';
import type { Trigger } from './runs.ts';
import { statement } from './sql.ts';
import { emptyTally, subtractTallies, type Tallies } from './tally.ts';

/** A worker's place in a run. A run has so many workers at most as it has slots. */
export type Slot = { readonly runId: string; readonly slot: number; readonly token: string };

export const openSlots = statement<{ runId: string; workers: number }, never>('open-slots');

/** Nothing comes back where the run is over, or all its slots are taken. */
export const takeSlot = statement<
  { runId: string; token: string; workers: number; aliveSeconds: number },
  { readonly slot: number; readonly trigger: Trigger; readonly due_at: string }
>('take-slot');

/** Nothing comes back where the slot is another's by now. */
const reportWork = statement<
  Slot & { aliveSeconds: number; tally: string; targets: string },
  { readonly due_at: string }
>('report-work');

/** A slot that is kept by signs of life until it is given up. */
export type HeldSlot = {
  /** Up to when events have to be due; a later tick moves it on. */
  dueAt(): string;
  /** Somebody else has the slot: its holder was silent for too long. */
  isLost(): boolean;
  /** Tells at once what was done, as is told every few seconds anyway. */
  report(): Promise<void>;
  /** Tells the last of what was done, and gives the slot up. */
  leave(): Promise<void>;
};

/** Keeps a slot, and its run informed of what its holder does, as `tallies` shows it. */
export function holdSlot(
  db: Database,
  slot: Slot & { readonly dueAt: string },
  { tallies, aliveSeconds }: { readonly tallies: Tallies; readonly aliveSeconds: number },
): HeldSlot {
  const { dueAt: _, ...place } = slot;
  let { dueAt } = slot;
  let isLost = false;
  let told: Tallies = { all: emptyTally(), targets: {} };
  let telling = Promise.resolve();
  const tell = async (seconds: number) => {
    const now = structuredClone(tallies);
    const { all, targets } = subtractTallies(now, told);
    const news = { tally: JSON.stringify(all), targets: JSON.stringify(targets) };
    const [kept] = await reportWork(db, { ...place, aliveSeconds: seconds, ...news });
    told = now;
    isLost = kept === undefined;
    dueAt = kept?.due_at ?? dueAt;
  };
  const tellNext = (seconds: number) => {
    telling = telling.catch(() => {}).then(() => tell(seconds));
    return telling;
  };
  // Between batches there may be minutes of waiting for targets, so that signs of life come by the clock. One that fails
  // is made up for by the next; the work itself notices a database that is away.
  const beat = setInterval(() => tellNext(aliveSeconds).catch(() => {}), (aliveSeconds * 1000) / 4);
  return {
    dueAt: () => dueAt,
    isLost: () => isLost,
    report: () => tellNext(aliveSeconds),
    leave() {
      clearInterval(beat);
      return tellNext(0);
    },
  };
}
