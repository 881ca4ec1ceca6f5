// The table of docs/capture.md: two captures, in either order, with every fact left out on either side,
// before a delivery and after a first, second and third one. The right result is written here in words of the
// table, not of the SQL.

/** How many combinations are drawn; from 1,000 on the table is played whole, else a tenth of it. */
export const runs = Number(process.env.CAPTURE_RUNS ?? 200);
export const share = runs >= 1000 ? 1 : 0.1;
export const seed = Number(process.env.CAPTURE_SEED ?? 1 + (Date.now() % 100_000));

/** The facts of one capture. Null: left out. */
export type Said = {
  readonly kind: 'message' | 'report';
  /** `none` of a report is a report without content. */
  readonly content: 'same' | 'other' | 'empty' | null;
  readonly headers: 'same' | 'other' | null;
  readonly token: 'latest' | 'older' | null;
  /** Without it a token tells no number. */
  readonly attempt: true | null;
  readonly publication: 'first' | 'later' | null;
  /** Whether it failed before or after the latest delivery. */
  readonly failedAt: 'before' | 'after' | null;
  readonly deliveryId: 'same' | 'other' | null;
  readonly consumer: 'billing' | null;
  readonly reason: string | null;
};
export type Effect = 'repetition' | 'conflict' | 'adds' | 'voice' | 'recurrence' | 'another';
export type Expected = { readonly effect: Effect; readonly completes: boolean };
/** `soon`: before a delivery, within REPEAT_SECONDS; `late`: after them. */
export type Deliveries = 'soon' | 'late' | 1 | 2 | 3;

export const all: Said = {
  kind: 'message', content: 'same', headers: 'same', token: null, attempt: true, publication: null, failedAt: null,
  deliveryId: null, consumer: 'billing', reason: 'first',
}; // biome-ignore format: one line each
export const report: Said = { ...all, kind: 'report' };
export const second = (facts: Partial<Said>): Partial<Said> => ({ reason: 'second', ...facts });

/** Each row of the table with captures that tell all, and its effect before and after a delivery. */
export const rows: Record<string, readonly [first: Said, second: Partial<Said>, before: Effect, after: Effect]> = {
  'the same delivery': [{ ...all, deliveryId: 'same' }, { deliveryId: 'same' }, 'repetition', 'repetition'],
  'the same delivery of a report': [{ ...report, deliveryId: 'same' }, { deliveryId: 'same' }, 'repetition', 'repetition'],
  'other content': [all, second({ content: 'other' }), 'conflict', 'conflict'],
  'other content of a report': [all, second({ kind: 'report', content: 'other' }), 'conflict', 'conflict'],
  'other own headers': [all, second({ headers: 'other' }), 'conflict', 'conflict'],
  'other own headers of a report': [report, second({ headers: 'other' }), 'conflict', 'conflict'],
  'an empty message': [{ ...all, content: 'empty' }, second({ content: 'empty' }), 'voice', 'recurrence'],
  'an empty message with a known id': [all, second({ content: 'empty' }), 'conflict', 'conflict'],
  'no content': [all, second({ kind: 'report', content: null }), 'adds', 'adds'],
  'the first content': [{ ...report, content: null }, second({ kind: 'message', content: 'same' }), 'voice', 'recurrence'],
  'the first content, of a report': [{ ...report, content: null }, second({ content: 'same' }), 'voice', 'recurrence'],
  'the copy of a report': [report, second({ kind: 'message', publication: 'first' }), 'voice', 'voice'],
  'the report of a copy': [{ ...all, publication: 'first' }, second({ kind: 'report', publication: 'first' }), 'voice', 'voice'],
  'an older delivery': [all, second({ token: 'older' }), 'voice', 'voice'],
  'an older failure': [all, second({ kind: 'report', failedAt: 'before' }), 'voice', 'voice'],
  'our latest delivery': [all, second({ token: 'latest' }), 'voice', 'recurrence'],
  'our latest delivery, of a report': [all, second({ kind: 'report', token: 'latest' }), 'voice', 'recurrence'],
  'our latest delivery, with other content': [all, second({ token: 'latest', content: 'other' }), 'conflict', 'recurrence'],
  'our latest delivery, without content': [all, second({ kind: 'report', content: null, token: 'latest' }), 'adds', 'recurrence'],
  'another publication': [{ ...all, publication: 'first' }, second({ publication: 'later' }), 'another', 'another'],
  'a publication after a report': [report, second({ kind: 'message', publication: 'later' }), 'another', 'another'],
  'a delivery that is not told': [report, second({}), 'voice', 'recurrence'],
}; // biome-ignore format: one line each

export const deliveries: readonly Deliveries[] = ['soon', 'late', 1, 2, 3];
export const facts = [
  'content',
  'token',
  'attempt',
  'publication',
  'failedAt',
  'deliveryId',
  'consumer',
  'reason',
  'headers',
] as const;

export type Case = {
  readonly title: string;
  readonly first: Said;
  readonly second: Said;
  readonly deliveries: Deliveries;
};

export type Pair = { readonly title: string; readonly first: Said; readonly second: Said };

export function listCases(): Case[] {
  const pairs = Object.entries(rows).flatMap(([row, [first, change]]) => {
    const second = { ...first, ...change };
    return [
      ...omitEachFact({ title: `${row}, in order`, first, second }),
      ...omitEachFact({ title: `${row}, reversed`, first: second, second: first }),
    ];
  });
  return pairs.flatMap(({ title, first, second }) =>
    deliveries.map((count) => toCase(`${title}, ${count}`, first, second, count)),
  );
}

export function omitEachFact({ title, first, second }: Pair): Pair[] {
  const omissions = facts.flatMap((fact) => [
    { title: `${title}, without ${fact} of 1`, first: { ...first, [fact]: null }, second },
    { title: `${title}, without ${fact} of 2`, first, second: { ...second, [fact]: null } },
  ]);
  return [{ title: `${title}, all told`, first, second }, ...omissions];
}

/** The first capture has no token, and nothing that was not sent has one. An empty message is content. */
export function toCase(title: string, first: Said, second: Said, count: Deliveries): Case {
  const clean = (said: Said): Said =>
    said.kind === 'message' && said.content === null ? { ...said, content: 'empty' } : said;
  const token = typeof count === 'number' ? second.token : null;
  return {
    title,
    first: clean({ ...first, token: null }),
    second: clean({ ...second, token }),
    deliveries: count,
  };
}

/** Three questions: which message, which delivery, which failure? */
export function expectEffect({ first, second, deliveries: count }: Case): Expected {
  const isMute = second.content === null && second.token === null;
  const completes = first.content === null && second.content !== null;
  const isOtherContent =
    first.content !== null && second.content !== null && first.content !== second.content;
  // Between two messages a header that is not there is another one; a report may leave it out.
  const mayOmit = first.kind === 'report' && (first.headers === null || second.headers === null);
  const isOtherHeaders = first.kind === second.kind && first.headers !== second.headers && !mayOmit;
  if (second.token === null && (isOtherContent || isOtherHeaders))
    return { effect: 'conflict', completes: false };
  const isSameDelivery =
    second.deliveryId === 'same' && first.deliveryId === 'same' && first.content !== null;
  if (isSameDelivery && !isOtherContent && !isOtherHeaders) return { effect: 'repetition', completes: false };
  if (isMute) return { effect: 'adds', completes: false };
  if (completes && typeof count !== 'number') return { effect: 'voice', completes };
  return { effect: judge(first, second, count), completes };
}

export function judge(first: Said, second: Said, count: Deliveries): Effect {
  const isDelivered = typeof count === 'number';
  if (second.token !== null) {
    const number = second.attempt === null ? count : second.token === 'latest' ? count : 0;
    return number === count ? 'recurrence' : 'voice';
  }
  if (isDelivered && second.failedAt === 'before') return 'voice';
  if (second.publication !== null) return judgePublication(first, second, count);
  if (isDelivered) return 'recurrence';
  return count === 'soon' ? 'voice' : 'another';
}

export function judgePublication(first: Said, second: Said, count: Deliveries): Effect {
  if (first.publication !== second.publication)
    return first.publication === null && second.publication === 'first' ? 'voice' : 'another';
  // A broker that gives up twice, more than ten minutes apart, was rewound.
  const isGivenUpTwice = first.kind === 'message' && second.kind === 'message' && count !== 'soon';
  return isGivenUpTwice ? 'another' : 'voice';
}
