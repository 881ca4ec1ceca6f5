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

const EntrySchema = v.variant('act', [
  v.object({
    act: v.literal('capture'),
    captured: wholeNumber,
    duplicates: wholeNumber,
    sourceKind: v.string(),
  }),
  // What is said of single events and of figures: too much for people, who see the sums.
  v.object({ act: v.picklist(['give up', 'metrics']) }),
  v.object({ act: v.literal('tick'), tally: TallySchema, unrouted: wholeNumber }),
]);

const MessageSchema = v.object({ severity: v.optional(v.string(), 'INFO'), message: v.string() });

export type Tally = v.InferOutput<typeof TallySchema>;
export type Entry = v.InferOutput<typeof EntrySchema>;
export type Message = v.InferOutput<typeof MessageSchema>;

/** What a line of a function's output is: an act that is summed up, a sentence, or neither. */
export type Parsed =
  | { readonly kind: 'act'; readonly entry: Entry }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'text' };

export function parseLine(line: string): Parsed {
  const json = parseJson(line);
  const act = v.safeParse(EntrySchema, json);
  if (act.success) return { kind: 'act', entry: act.output };
  const message = v.safeParse(MessageSchema, json);
  return message.success ? { kind: 'message', message: message.output } : { kind: 'text' };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
