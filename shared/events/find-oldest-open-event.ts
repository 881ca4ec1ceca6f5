import { statement } from '../database/statement.ts';

/** Finds the open event that was captured first. */
export const findOldestOpenEvent = statement<
  Record<string, never>,
  { readonly id: string; readonly eventType: string; readonly createdAt: Date }
>('find-oldest-open-event', import.meta.url);
