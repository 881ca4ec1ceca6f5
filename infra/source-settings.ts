import * as v from 'valibot';
import { MemberSchema } from './members.ts';

const name = v.pipe(
  v.string('Give it as text.'),
  v.regex(/^[a-z][a-z0-9-]{0,40}$/, 'Use small letters, digits and hyphens, such as "billing".'),
);

/** Where failures come from, and who may bring them. */
export const SourceSchema = v.variant('kind', [
  /** A Pub/Sub subscription whose dead letters are to end here. */
  v.strictObject({
    name,
    kind: v.literal('subscription'),
    subscription: v.pipe(
      v.string('Give it as text.'),
      v.regex(
        /^projects\/[^/]+\/subscriptions\/[^/]+$/,
        'Must look like projects/PROJECT/subscriptions/SUBSCRIPTION.',
      ),
    ),
    maxDeliveryAttempts: v.optional(
      v.pipe(
        v.number('Give it as a number.'),
        v.integer('Must be a whole number.'),
        v.minValue(5, 'Pub/Sub takes 5 to 100.'),
        v.maxValue(100, 'Pub/Sub takes 5 to 100.'),
      ),
      5,
    ),
  }),
  /** Whoever publishes failures to the topic: the Pub/Sub sink connector of Kafka Connect, or any program. */
  v.strictObject({ name, kind: v.literal('publisher'), member: MemberSchema }),
  /** Whoever posts failures to capture: a consumer, or an HTTP bridge from Kafka. */
  v.strictObject({ name, kind: v.literal('caller'), member: MemberSchema }),
]);

export type Source = v.InferOutput<typeof SourceSchema>;

/** The project and the short name of `projects/PROJECT/COLLECTION/NAME`. */
export function splitName(fullName: string): { readonly project: string; readonly name: string } {
  const [, project = '', , name = ''] = fullName.split('/');
  return { project, name };
}
