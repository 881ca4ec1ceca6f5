import { statement } from './sql.ts';

/** An act of a person. `outcome` and `endedAt` are there once it has ended, where it could not be done at once. */
export type AuditEntry = {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly act: string;
  readonly reason: string | null;
  readonly runId: string | null;
  readonly eventId: string | null;
  readonly details: object;
  readonly outcome: object | null;
  readonly endedAt: Date | null;
};

export const listAudit = statement<
  { eventId: string | null; runId: string | null; before: string; most: number },
  AuditEntry
>('list-audit');
