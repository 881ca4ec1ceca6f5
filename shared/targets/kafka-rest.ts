import * as v from 'valibot';
import type { LeasedEvent } from '../events.ts';
import { type KafkaRestTarget, locateTopic } from '../routes.ts';
import { composeRecord, toRecord } from './kafka-records.ts';
import { judge, type Outcome } from './outcome.ts';
import { type Answer, judgeAnswer, post } from './post.ts';
import { signsOfStatus } from './signs.ts';

export type KafkaRestDelivery = {
  readonly event: LeasedEvent;
  readonly body: Buffer;
  readonly target: KafkaRestTarget;
  readonly attempt: number;
  readonly timeoutSeconds: number;
};

/**
 * Has a bridge write the original record: its key, its headers and its exact bytes. Version 2 of Confluent's knows no
 * headers, they are lost there. Never throws: every end is an outcome.
 */
export async function deliverByKafkaRest(delivery: KafkaRestDelivery): Promise<Outcome> {
  const { event, body, target, attempt, timeoutSeconds } = delivery;
  const composed = composeRecord[target.flavor](toRecord(event, body, attempt));
  if (!composed) {
    return { kind: 'permanent', error: 'Not sent: this bridge cannot write a record without a value.' };
  }
  const records = target.flavor === 'confluent-v3' ? '/records' : '';
  const request = {
    url: new URL(locateTopic(target) + records),
    target,
    offered: [],
    ours: [['content-type', composed.contentType]] as const,
    body: Buffer.from(composed.body),
    timeoutSeconds,
  };
  return post(request, judgeRecord);
}

const ReportSchema = v.object({
  error_code: v.nullish(v.number()),
  offset: v.nullish(v.number()),
  error: v.nullish(v.string()),
  message: v.nullish(v.string()),
});
/** In version 2 the report is the first of `offsets`, in version 3 it is the answer. */
const AnswerSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.pipe(
      v.object({ offsets: v.tuple([ReportSchema]) }),
      v.transform(({ offsets: [report] }) => report),
    ),
    ReportSchema,
  ]),
);

/** A bridge answers 200 to what it understood; whether Kafka has the record is told in the body. */
function judgeRecord(answer: Answer): Outcome {
  const outcome = judgeAnswer(answer);
  if (outcome.kind !== 'delivered') return outcome;
  const { success, output } = v.safeParse(AnswerSchema, answer.text);
  const { error_code: code, offset, error, message } = success ? output : {};
  const hasCode = typeof code === 'number';
  if (!hasCode && typeof offset !== 'number') {
    return {
      ...outcome,
      ...judge(['unanswered']),
      error: 'The answer does not say that the record was written.',
    };
  }
  const judged = hasCode ? judgeCode(code) : outcome;
  return judged.kind === 'delivered'
    ? outcome
    : { ...outcome, ...judged, error: `error ${code}: ${error ?? message ?? 'no reason given'}` };
}

/**
 * An error code begins with the HTTP status that it would have been: 404 and 500 (Strimzi), 40403 for a topic that is
 * not there, 42206, 429001, 50002 and 50003 for what Kafka refused (Confluent). Success in version 3 is 200.
 */
function judgeCode(code: number): Pick<Outcome, 'kind' | 'signs'> {
  return judge(signsOfStatus(Number(String(code).slice(0, 3))));
}
