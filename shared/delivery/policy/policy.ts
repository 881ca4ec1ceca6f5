import * as v from 'valibot';
import { wholeNumber } from '../../config/whole-number.ts';
import { measureAge } from '../../time-text.ts';
import { isReasonCode, outcomeKinds } from '../targets/outcome.ts';

// The limit of a delay: PostgreSQL's dates end, so that retry_after must stay bounded.
const year = 31_536_000;

const number = (min: number, max: number, unit = '') =>
  v.pipe(
    v.number(`Give it as a number${unit && ` of${unit}`}.`),
    v.minValue(min, `Must be at least ${min}${unit}.`),
    v.maxValue(max, `Must be at most ${max}${unit}.`),
  );
const seconds = (min: number, max: number) => number(min, max, ' seconds');

const jitter = v.picklist(['none', 'full', 'equal'], 'Use "none", "full" or "equal".');

const ExponentialSchema = v.strictObject({
  kind: v.optional(v.literal('exponential'), 'exponential'),
  baseSeconds: v.optional(seconds(0, year), 60),
  factor: v.optional(v.pipe(v.number('Give it as a number.'), v.minValue(1, 'Must be at least 1.')), 2),
  capSeconds: v.optional(seconds(0, year), 21_600),
  jitter: v.optional(jitter, 'full'),
});

// A configured delay is exact by default: jitter must be requested.
const FixedSchema = v.strictObject({
  kind: v.literal('fixed'),
  delaySeconds: seconds(0, year),
  jitter: v.optional(jitter, 'none'),
});

const ScheduleSchema = v.strictObject({
  kind: v.literal('schedule'),
  delaysSeconds: v.pipe(
    v.array(seconds(0, year), 'Give a list of seconds, such as [60, 300, 3600].'),
    v.minLength(1, 'Give at least one delay, in seconds.'),
    v.maxLength(1000, 'Give at most 1000 delays: the last one repeats.'),
    v.readonly(),
  ),
  jitter: v.optional(jitter, 'none'),
});

const BackoffSchema = v.variant('kind', [ExponentialSchema, FixedSchema, ScheduleSchema]);

const OutcomesSchema = v.record(
  v.pipe(
    v.string(),
    v.check(
      isReasonCode,
      'Name an HTTP status ("404") or class ("5xx"), an error code of Node.js ("ECONNRESET"), a gRPC code ' +
        '("grpc:NOT_FOUND" or "grpc:5"), "timeout", "unsent" or "unanswered".',
    ),
  ),
  v.picklist(outcomeKinds, 'Use "delivered", "transient", "permanent" or "ambiguous".'),
  'Give an object, such as {"404": "permanent"}.',
);

const ErrorClassesSchema = v.record(
  v.pipe(v.string(), v.regex(/^[^\0]+$/, 'Name a class, such as "ValidationError"; * stands for any text.')),
  v.picklist(['transient', 'permanent'], 'Use "transient" or "permanent".'),
  'Give an object, such as {"ValidationError": "permanent"}.',
);

const ageRemedy = 'Give an age of one second to ten years, such as "90s", "36h" or "7d".';
const AgeSchema = v.pipe(
  v.string(ageRemedy),
  v.check((age) => {
    const ms = measureAge(age) ?? 0;
    return ms > 0 && ms <= 10 * year * 1000;
  }, ageRemedy),
);

const BreakerSchema = v.pipe(
  v.strictObject({
    consecutiveFailures: v.optional(wholeNumber(1, 100_000), 5),
    failureRatio: v.optional(number(0.01, 1), 0.5),
    minimumDeliveries: v.optional(wholeNumber(1, 100_000), 20),
    cooldownSeconds: v.optional(seconds(1, 86_400), 30),
    maxCooldownSeconds: v.optional(seconds(1, 86_400), 900),
  }),
  v.forward(
    v.check(
      ({ cooldownSeconds, maxCooldownSeconds }) => cooldownSeconds <= maxCooldownSeconds,
      'Must not be less than cooldownSeconds: raise it, or lower that.',
    ),
    ['maxCooldownSeconds'],
  ),
);

/** How a route retries. docs/policies.md describes each field. */
export const PolicySchema = v.strictObject({
  backoff: v.optional(BackoffSchema, {}),
  maxRetries: v.optional(wholeNumber(0, 10_000)),
  timeoutSeconds: v.optional(seconds(1, 1800), 30),
  concurrency: v.optional(wholeNumber(1, 1000), 10),
  ratePerSecond: v.optional(number(0.000_01, 100_000)),
  onAmbiguous: v.optional(v.picklist(['retry', 'hold'], 'Use "retry" or "hold".'), 'retry'),
  outcomes: v.optional(OutcomesSchema, {}),
  /** By error class, if the consumer does not say; of several that match the first counts. */
  errorClasses: v.optional(ErrorClassesSchema, {}),
  maxAge: v.optional(AgeSchema),
  breaker: v.optional(BreakerSchema, {}),
});

export type Policy = v.InferOutput<typeof PolicySchema>;
export type Backoff = Policy['backoff'];

type Age = { readonly createdAt: Date; readonly reopenedAt: Date | null };

/** Counts from the capture, or the latest reopening. */
export function expiryOf({ createdAt, reopenedAt }: Age, { maxAge }: Policy): Date | undefined {
  const age = measureAge(maxAge ?? '');
  const since = Math.max(createdAt.getTime(), reopenedAt?.getTime() ?? 0);
  return age === undefined ? undefined : new Date(since + age);
}
