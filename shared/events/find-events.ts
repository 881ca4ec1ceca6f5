import { statement } from '../database/statement.ts';
import type { Origin, Status } from '../message/event.ts';

/** The named events, in any order; ids that do not exist are omitted. */
export const findEvents = statement<
  { ids: readonly string[] },
  Origin & {
    readonly id: string;
    readonly status: Status;
    readonly payloadEncoding: 'json' | 'text' | 'base64' | 'none';
    readonly isLeased: boolean;
  }
>('find-events');

/** Finds the open event that was captured first. */
export const findOldestOpenEvent = statement<
  Record<string, never>,
  { readonly id: string; readonly eventType: string; readonly createdAt: Date }
>('find-oldest-open-event');
