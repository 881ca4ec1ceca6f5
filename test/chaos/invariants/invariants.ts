import type { Seen, Violation } from '../seen.ts';
import { findLost, findTwice, findWrongBytes } from './captured.ts';
import { findDisorder, findUnaccepted, findUnexplained } from './delivered.ts';
import { findMiscounts, findStuck, findUnaudited } from './records.ts';

/** What has to be so after any faults, as it is seen from outside. */
export const invariants: Readonly<Record<string, (seen: Seen) => Violation[]>> = {
  'captured events that are lost': findLost,
  'events in two rows': findTwice,
  'messages with other bytes': findWrongBytes,
  'events SUCCEEDED without acceptance': findUnaccepted,
  'events open after the last lease': findStuck,
  'double deliveries without a fault that explains them': findUnexplained,
  'events of a key out of order': findDisorder,
  'counts that differ from rows': findMiscounts,
  'actions missing in the audit': findUnaudited,
};
