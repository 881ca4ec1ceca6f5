import { statement } from '../database/statement.ts';
import type { Origin } from '../message/event.ts';
import type { Cause } from './cause.ts';

/** An event that comes after a delivered one in the order of its key. */
export type Successor = Origin & {
  readonly id: string;
  readonly lane: string;
  readonly priority: number;
  readonly cause: Cause | null;
};

/**
 * Finds the events after `delivered` ones: for a tick those that may go now, by the `rules` of their lanes.
 */
export const findSuccessors = statement<
  { delivered: readonly string[]; dueAt: string | null; rules: string },
  Successor
>('find-successors');
