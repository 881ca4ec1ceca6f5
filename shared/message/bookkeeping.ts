import type { HeaderValue } from '../events/event.ts';
import { findApplicationHeaders, isApplicationHeader } from './application-headers.ts';

type Headers = Readonly<Record<string, HeaderValue>>;

/**
 * Headers about a failure: a broker, a bridge or a framework wrote them when the message failed. They are no part of the
 * message. A consumer that finds its own retry count in a message would stop retrying at once, a message that fails again
 * would carry two of each, and a stack trace is longer than Pub/Sub and many servers accept.
 */
const bookkeeping = new RegExp(
  [
    String.raw`^(__(connect|streams|dlq)\.errors\.`,
    'kafka_(dlt|original|exception)-',
    'kafka_deliveryAttempt$',
    'retry_topic-',
    'springDeserializerException',
    '(dead-letter|delayed-retry)-',
    'x-death$',
    'x-(first|last)-death-',
    'x-delivery-count$',
    'CloudPubSubDeadLetter',
    'MT-(Reason$|Fault-|Host-)',
    String.raw`NServiceBus\.(ExceptionInfo\.|FailedQ$|TimeOfFailure$|(FL)?Retries\b)`,
    '(ce[-_])?knativeerror(dest|code|data)$',
    'DeadLetter(Reason|Source|ErrorDescription)$',
    'dlo-)',
  ].join('|'),
  'i',
);

/** Names with other uses, too: they are about a failure only in a message that has all of the `markers`. */
const marked: readonly (readonly [markers: readonly string[], names: RegExp])[] = [
  // Spring Cloud Stream
  [
    ['x-original-topic'],
    /^x-(original-(topic|partition|offset|timestamp(-type)?)|exception-(fqcn|message|stacktrace))$/i,
  ],
  // Spring AMQP
  [['x-original-routingkey'], /^x-(original-(exchange|routingKey)|exception-(message|stacktrace))$/i],
  // Celery: the count of the consumer's own retries
  [['task', 'id', 'retries'], /^retries$/i],
  // Karafka
  [
    ['source_topic', 'source_partition', 'source_offset'],
    /^source_(topic|partition|offset|consumer_group|attempts|trace_id)$/i,
  ],
  // Wolverine
  [
    ['exception-type', 'failed-at'],
    /^(exception-(type|message|stack)|failed-at|original-(destination|partition|offset)|attempts)$/i,
  ],
  // Confluent's HTTP sink: its error topic has the event itself in a header
  [
    ['input_record_topic'],
    /^(input_record_.*|error_message|exception|response_content|status_code|reason_phrase|url|payload)$/i,
  ],
  // EventBridge
  [
    ['rule_arn', 'error_code'],
    /^((rule|target)_arn|error_(code|message)|exhausted_retry_condition|retry_attempts)$/i,
  ],
  // Lambda
  [['requestid', 'errorcode', 'errormessage'], /^(requestid|error(code|message))$/i],
];

/** Returns whether a header of a message is about a failure, by its name. */
export function findBookkeeping(headers: Headers): (name: string) => boolean {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const patterns = marked.flatMap(([markers, pattern]) =>
    markers.every((marker) => names.has(marker)) ? [pattern] : [],
  );
  const application = findApplicationHeaders(Object.keys(headers));
  return (name) =>
    bookkeeping.test(name) ||
    patterns.some((pattern) => pattern.test(name)) ||
    (application !== undefined && isApplicationHeader(name, application));
}

/** Whether a message is a dead letter: it has a header about a failure other than the product's own. */
export function isDeadLetter(headers: Headers): boolean {
  const isBookkeeping = findBookkeeping(headers);
  return Object.keys(headers).some((name) => isBookkeeping(name) && !/^dlo-/i.test(name));
}
