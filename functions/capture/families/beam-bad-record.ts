import { keyFromContent } from '../identity.ts';
import type { Family } from '../message.ts';
import { isObject, parseBody, toFact } from '../text.ts';

/**
 * A `BadRecord` of Apache Beam as JSON: `{"record": {"humanReadableJsonRecord", "encodedRecord", "coder"}, "failure":
 * {"exception", "exceptionStacktrace", "description"}}`, or with underscores. The encoded bytes are kept beside.
 * https://github.com/apache/beam/blob/master/sdks/java/core/src/main/java/org/apache/beam/sdk/transforms/errorhandling/BadRecord.java
 */
export const readBeamBadRecord: Family = ({ body, facts }) => {
  const json = parseBody(body);
  if (!isObject(json) || !isObject(json.record) || !isObject(json.failure)) return undefined;
  const { record, failure } = json;
  const text = toFact(record.humanReadableJsonRecord ?? record.human_readable_json_record);
  const encoded = toFact(record.encodedRecord ?? record.encoded_record);
  const content = text === null ? Buffer.from(encoded ?? '', 'base64') : Buffer.from(text);
  if (content.length === 0) return undefined;
  return {
    body: content,
    eventKey: (facts.sourceKind === undefined ? undefined : facts.eventKey) ?? keyFromContent(content),
    errorReason: toFact(failure.exception) ?? toFact(failure.description),
    errorStacktrace: toFact(failure.exceptionStacktrace ?? failure.exception_stacktrace),
    sourceKind: 'dataflow',
    metadata: { ...facts.metadata, coder: toFact(record.coder), encodedRecord: encoded },
  };
};
