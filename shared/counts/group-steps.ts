import { statement } from '../database/statement.ts';
import type { Step } from './overview.ts';

/** The failures and deliveries of one error group in a period, in steps of `hours`. Sparse: idle steps are omitted. */
export const sumGroupHours = statement<
  { fingerprint: string; since: Date; until: Date; hours: number },
  Step
>('sum-group-hours', import.meta.url);
