import { toText } from '../column-values.ts';
import { keyFromContent } from '../identity.ts';
import type { DeadLetterFormat } from '../message.ts';
import { isWholly } from '../wholly.ts';

const names = new Set(['record', 'failure', 'destination']);
const recordNames = new Set([
  ...['humanReadableJsonRecord', 'human_readable_json_record', 'encodedRecord', 'encoded_record', 'coder'],
]);
const failureNames = new Set([
  ...['exception', 'exceptionStacktrace', 'exception_stacktrace', 'description'],
]);

/**
 * A `BadRecord` of Apache Beam as JSON: `{"record": {"humanReadableJsonRecord", "encodedRecord", "coder"}, "failure":
 * {"exception", "exceptionStacktrace", "description"}}`, or with underscores. The encoded bytes are kept in the metadata.
 * https://github.com/apache/beam/blob/master/sdks/java/core/src/main/java/org/apache/beam/sdk/transforms/errorhandling/BadRecord.java
 */
export const readBeamBadRecord: DeadLetterFormat = ({ json, facts }) => {
  if (!isWholly(json, names) || !isWholly(json.record, recordNames)) return undefined;
  if (!isWholly(json.failure, failureNames)) return undefined;
  const { record, failure } = json;
  const text = toText(record.humanReadableJsonRecord ?? record.human_readable_json_record);
  const encoded = toText(record.encodedRecord ?? record.encoded_record);
  const content = text === null ? Buffer.from(encoded ?? '', 'base64') : Buffer.from(text);
  if (content.length === 0) return undefined;
  return {
    body: content,
    eventKey: (facts.sourceKind === undefined ? undefined : facts.eventKey) ?? keyFromContent(content),
    errorReason: toText(failure.exception) ?? toText(failure.description),
    errorStacktrace: toText(failure.exceptionStacktrace ?? failure.exception_stacktrace),
    sourceKind: 'dataflow',
    metadata: { ...facts.metadata, coder: toText(record.coder), encodedRecord: encoded },
  };
};
