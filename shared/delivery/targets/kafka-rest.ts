import * as v from 'valibot';
import { composeRecord, toRecord } from './kafka-records.ts';
import { type KafkaRestBridge, locateTopic } from './kafka-rest-bridge.ts';
import { judge, type Outcome } from './outcome.ts';
import { judgeAnswer, post } from './post.ts';
import { reasonCodesOfStatus } from './reason-codes.ts';
import type { Answer } from './send-request.ts';
import type { Delivery } from './target-kind.ts';

/**
 * Writes the original record through a bridge: its key, its headers and its exact bytes. Never throws: every
 * failure is an outcome.
 */
export async function deliverByKafkaRest(delivery: Delivery<KafkaRestBridge>): Promise<Outcome> {
  const { event, body, target, attempt, timeoutSeconds } = delivery;
  const composed = composeRecord[target.flavor](toRecord(event, body, attempt));
  if (!composed) {
    return {
      kind: 'permanent',
      isRefused: true,
      error: 'Not sent: this bridge cannot write a record without a value.',
    };
  }
  const records = target.flavor === 'confluent-v3' ? '/records' : '';
  const request = {
    url: locateTopic(target) + records,
    target,
    messageHeaders: [],
    deliveryHeaders: [['content-type', composed.contentType]] as const,
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
/** The report is the first of `offsets` from Strimzi, and the whole answer from Confluent. */
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

/** A bridge answers 200 to a request that it could parse; the body reports whether Kafka has the record. */
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
  // An error code begins with the HTTP status of its kind: 404 and 500 (Strimzi), 40403 for a missing topic,
  // 42206, 429001, 50002 and 50003 for records that Kafka rejected (Confluent). Success in version 3 is 200.
  const judged = hasCode ? judge(reasonCodesOfStatus(Number(String(code).slice(0, 3)))) : outcome;
  return judged.kind === 'delivered'
    ? outcome
    : { ...outcome, ...judged, error: `error ${code}: ${error ?? message ?? 'no reason given'}` };
}
