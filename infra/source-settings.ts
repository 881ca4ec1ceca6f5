import * as v from 'valibot';
import { MemberSchema } from './members.ts';

const name = v.pipe(
  v.string('Use a string.'),
  v.regex(/^[a-z][a-z0-9-]{0,40}$/, 'Use lower-case letters, digits and hyphens, such as "billing".'),
);

/** A source of failures, and its IAM member. */
export const SourceSchema = v.variant('kind', [
  /** A Pub/Sub subscription whose dead letters are captured. */
  v.strictObject({
    name,
    kind: v.literal('subscription'),
    subscription: v.pipe(
      v.string('Use a string.'),
      v.regex(
        /^projects\/[^/]+\/subscriptions\/[^/]+$/,
        'Must look like projects/PROJECT/subscriptions/SUBSCRIPTION.',
      ),
    ),
    maxDeliveryAttempts: v.optional(
      v.pipe(
        v.number('Use a number.'),
        v.integer('Must be a whole number.'),
        v.minValue(5, 'Use 5 to 100, the range of Pub/Sub.'),
        v.maxValue(100, 'Use 5 to 100, the range of Pub/Sub.'),
      ),
      5,
    ),
  }),
  /** A publisher of failures to the capture topic: the Pub/Sub sink connector of Kafka Connect, or a program. */
  v.strictObject({ name, kind: v.literal('publisher'), member: MemberSchema }),
  /** A caller of capture: a consumer, or an HTTP bridge from Kafka. */
  v.strictObject({ name, kind: v.literal('caller'), member: MemberSchema }),
]);

export type Source = v.InferOutput<typeof SourceSchema>;

/** Returns the project and the short name of `projects/PROJECT/COLLECTION/NAME`. */
export function splitName(fullName: string): { readonly project: string; readonly name: string } {
  const [, project = '', , name = ''] = fullName.split('/');
  return { project, name };
}
