import { statement } from '../../database/statement.ts';

type AuditId = { readonly id: string };

/** Records that an operator unmasks an event, and why. Returns the id of the audit entry. */
export const recordUnmask = statement<{ actor: string; reason: string; eventId: string }, AuditId>(
  'record-unmask',
);

/** Finds the audit entry, unless it is of another operator or event, or older than `minutes`. */
export const findUnmask = statement<
  { auditId: string; eventId: string; actor: string; minutes: number },
  AuditId
>('find-unmask');
