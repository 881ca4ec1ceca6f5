import * as v from 'valibot';

const wholeNumber = v.pipe(v.number(), v.integer());

const TallySchema = v.object({
  claimed: wholeNumber,
  delivered: wholeNumber,
  transient: wholeNumber,
  permanent: wholeNumber,
  ambiguous: wholeNumber,
  released: wholeNumber,
  stale: wholeNumber,
  failedPermanently: wholeNumber,
});

/** Log entries that the terminal aggregates: all others are shown as they are. */
const ActionSchema = v.variant('action', [
  v.object({
    action: v.literal('capture'),
    captured: wholeNumber,
    duplicates: wholeNumber,
    sourceKind: v.string(),
  }),
  v.object({ action: v.literal('tick'), tally: TallySchema, unrouted: wholeNumber }),
]);

export type Tally = v.InferOutput<typeof TallySchema>;
export type Action = v.InferOutput<typeof ActionSchema>;

/** Returns the captures or the tick that a log entry reports, and undefined for all other entries. */
export function parseAction(entry: unknown): Action | undefined {
  const parsed = v.safeParse(ActionSchema, entry);
  return parsed.success ? parsed.output : undefined;
}
