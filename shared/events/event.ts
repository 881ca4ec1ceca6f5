import { statement } from '../database/statement.ts';

export const statuses = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'] as const;
export type Status = (typeof statuses)[number];

/** A header's value: text, bytes that were no UTF-8, or a list of these if the name was repeated. */
export type HeaderValue =
  | string
  | { readonly base64: string }
  | readonly (string | { readonly base64: string })[];

/** The facts that choose a route: the kind of an event and the place of its failure, never its contents. */
export type Origin = {
  readonly eventType: string;
  readonly sourceKind: string;
  readonly sourceTopic: string | null;
  readonly consumerGroup: string | null;
};

/** The named events, in any order; ids that do not exist are omitted. */
export const findEvents = statement<
  { ids: readonly string[] },
  Origin & {
    readonly id: string;
    readonly status: Status;
    readonly payloadEncoding: 'json' | 'text' | 'base64' | 'none';
    readonly isLeased: boolean;
  }
>('find-events', import.meta.url);

/** Finds the open event that was captured first. */
export const findOldestOpenEvent = statement<
  Record<string, never>,
  { readonly id: string; readonly eventType: string; readonly createdAt: Date }
>('find-oldest-open-event', import.meta.url);
