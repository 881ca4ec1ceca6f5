import { statement } from '../database/statement.ts';

export type Status = 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED_PERMANENTLY' | 'DISCARDED';

/** A header's value: text, bytes that were no UTF-8, or a list of these if the name was repeated. */
export type HeaderValue =
  | string
  | { readonly base64: string }
  | readonly (string | { readonly base64: string })[];

/** What a route is chosen by: what an event is and where it failed, never what it contains. */
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
