import * as v from 'valibot';

export const statuses = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED'] as const;
export const Status = v.picklist(statuses);
export type Status = v.InferOutput<typeof Status>;

export type SingleValue = string | { readonly base64: string };

/** A header's value: text, bytes that were no UTF-8, or a list of these if the name was repeated. */
export type HeaderValue = SingleValue | readonly SingleValue[];

export type Headers = Readonly<Record<string, HeaderValue>>;

/** The facts that choose a route: the kind of an event and the place of its failure, never its contents. */
export type Origin = {
  readonly eventType: string;
  readonly sourceKind: string;
  readonly sourceTopic: string | null;
  readonly consumerGroup: string | null;
};
