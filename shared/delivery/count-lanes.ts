import { statement } from '../database/statement.ts';
import type { Origin } from '../events/event.ts';

/** The open events of one lane, and the fields that choose their route. */
export type LaneCount = Origin & { readonly events: number };

/** Counts the open events of every lane, each up to `max`. */
export const countLanes = statement<{ max: number }, LaneCount>('count-lanes', import.meta.url);
