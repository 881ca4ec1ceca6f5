import * as v from 'valibot';
import { readingEntries } from '../shared/environment/sources.ts';
import { MemberSchema } from './members.ts';
import { count, matching, nameLike, orOutput } from './setting-schemas.ts';

const subscription = matching(...nameLike('projects/PROJECT/subscriptions/SUBSCRIPTION'));
const name = matching(/^[a-z][a-z0-9-]{0,40}$/, 'Use lower-case letters, digits and hyphens: "billing".');

/** How its messages are read, as in SOURCES. */
const reads = v.optional(v.strictObject(readingEntries, 'Give it as an object: {"format": "report"}.'));

/** A source of failures, and its IAM member. */
export const SourceSchema = v.variant('kind', [
  /** A Pub/Sub subscription whose dead letters are captured. */
  v.strictObject({
    name,
    kind: v.literal('subscription'),
    subscription,
    /** The range of Pub/Sub. */
    maxDeliveryAttempts: v.optional(count(5, 100), 5),
  }),
  /** A topic of failures that exists already, such as a dead-letter topic. */
  v.strictObject({
    name,
    kind: v.literal('topic'),
    topic: orOutput(matching(...nameLike('projects/PROJECT/topics/TOPIC'))),
  }),
  /** A publisher to the capture topic: the Pub/Sub sink connector of Kafka Connect, or a program. */
  v.strictObject({ name, kind: v.literal('publisher'), member: orOutput(MemberSchema) }),
  /** A caller of capture: a consumer, or an HTTP bridge from Kafka. Without a member it signs. */
  v.strictObject({ name, kind: v.literal('caller'), member: v.optional(orOutput(MemberSchema)), reads }),
]);

export type Source = v.InferOutput<typeof SourceSchema>;

/** Returns the project and the short name of `projects/PROJECT/COLLECTION/NAME`, or of a longer name. */
export function splitName(fullName: string): { readonly project: string; readonly name: string } {
  const parts = fullName.split('/');
  return { project: parts[1] ?? '', name: parts.at(-1) ?? '' };
}
