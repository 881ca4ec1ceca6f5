import { isObject, printJson } from '../../json/parse-json.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { describeFailedMessage, dropMembers, openEnvelope, takeMember } from '../failed-message.ts';
import { digest } from '../identity.ts';
import type { DeadLetterFormat } from '../message.ts';

const infos = ['KinesisBatchInfo', 'DDBStreamBatchInfo', 'KafkaBatchInfo'];

/** The fields that differ between the records of one failure. */
const outcome = ['requestContext', 'responseContext', 'context', 'version', 'timestamp'];

/**
 * A batch of stream records that an event source mapping of Lambda, or a pipe of EventBridge, discarded. Only S3 and
 * Kafka destinations get the records, in `payload`: as JSON, or as its text. Without them the message is the batch's
 * position in the stream.
 * https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 * https://docs.aws.amazon.com/lambda/latest/dg/kafka-on-failure.html
 */
export const readStreamBatch: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (!json) return undefined;
  const context = isObject(json.requestContext) ? json.requestContext : json.context;
  const name = infos.find((each) => isObject(json[each]));
  const info = name && json[name];
  if (!isObject(context) || !name || !isObject(info)) return undefined;
  const consumer = toText(context.functionArn) ?? toText(context.partnerResourceArn);
  const condition = toText(context.condition);
  const stream = toText(info.streamArn) ?? toText(info.eventSourceArn) ?? toText(info.bootstrapServers);
  if (consumer === null || condition === null || stream === null) return undefined;
  const response = isObject(json.responseContext) ? json.responseContext : {};
  return {
    ...describeFailedMessage(message, {
      kind: 'aws-stream',
      identity: `${stream}/${readPosition(info) ?? digest(printJson(info))}`,
      failure: toText(context.requestId) ?? toText(json.timestamp),
      facts: {
        eventId: null,
        errorReason: joinReason(condition, toText(response.functionError)),
        errorClass: toText(response.functionError),
        sourceTopic: stream,
        consumerGroup: consumer,
        sourceAttempts: toCount(context.approximateInvokeCount),
        occurredAt: toDate(info.approximateArrivalOfFirstRecord),
      },
    }),
    ...('payload' in json ? takeMember(message, 'payload', []) : dropMembers(message, outcome, [])),
    ...(typeof json.payload === 'string' && json.payload !== '' && { body: Buffer.from(json.payload) }),
  };
};

/** The shard and its sequence numbers. A batch of Kafka may have offsets of several partitions. */
function readPosition({
  shardId,
  startSequenceNumber,
  endSequenceNumber,
}: Record<string, unknown>): string | null {
  const parts = [shardId, startSequenceNumber, endSequenceNumber].map(toText);
  return parts.includes(null) ? null : parts.join('/');
}
