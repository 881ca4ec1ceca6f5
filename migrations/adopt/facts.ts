/** Types of a column by what an adoption does with them. */
const text = 'text|character varying|character';
const whole = 'smallint|integer|bigint';
const time = 'timestamp with time zone';
const convertibleTime = 'timestamp without time zone|date';

export type Fact = {
  /** Types that are kept, or replaced by one that behaves the same. */
  readonly same: RegExp;
  /** Types that are converted: clients may see a difference. */
  readonly converted?: RegExp;
  /** Types that an import converts, too. */
  readonly imported?: RegExp;
  /** Names in other tables, the first that exists is used. */
  readonly synonyms?: readonly string[];
};

const types = (names: string) => new RegExp(`^(${names})$`);
const aText = { same: types(text), converted: types('uuid'), imported: /./ };
const aTime = { same: types(time), converted: types(convertibleTime) };
const aCount = { same: types('integer'), converted: types('smallint'), imported: types(whole) };

/** The columns of dlq_events that a row of another table may fill, with the types and names they may have there. */
export const facts: Readonly<Record<string, Fact>> = {
  id: { same: types('bigint'), converted: types('integer|smallint') },
  event_type: { ...aText, synonyms: ['event_name', 'type', 'message_type'] },
  payload: {
    same: types('jsonb'),
    converted: types('json'),
    imported: types(`${text}|bytea`),
    synonyms: ['event_payload', 'message', 'data', 'body', 'original_payload'],
  },
  error_reason: {
    ...aText,
    synonyms: ['error_message', 'failure_reason', 'reason', 'last_error', 'error', 'exception_message'],
  },
  error_stacktrace: {
    ...aText,
    synonyms: ['error_stack_trace', 'stack_trace', 'stacktrace', 'error_stack', 'exception_stacktrace'],
  },
  error_class: { ...aText, synonyms: ['error_type', 'exception_class', 'exception_type'] },
  failure_kind: { ...aText, synonyms: ['error_kind', 'error_category', 'failure_type'] },
  // An enumeration has no name that is known beforehand.
  status: { ...aText, converted: /./, synonyms: ['state'] },
  retry_count: { ...aCount, synonyms: ['retries', 'attempts', 'attempt_count'] },
  retry_after: { ...aTime, synonyms: ['next_retry_at', 'next_attempt_at'] },
  created_at: {
    ...aTime,
    synonyms: ['dead_lettered_at', 'moved_at', 'failed_at', 'attempted_at', 'inserted_at', 'deleted_at'],
  },
  updated_at: { ...aTime, synonyms: ['last_attempt_at', 'modified_at'] },
  processed_at: { ...aTime, synonyms: ['resolved_at', 'completed_at'] },
  first_failure_at: { ...aTime, synonyms: ['first_failed_at'] },
  last_failure_at: { ...aTime, synonyms: ['last_failed_at'] },
  occurred_at: { ...aTime, synonyms: ['event_time', 'event_timestamp'] },
  failure_count: aCount,
  source_attempts: aCount,
  priority: { same: types('smallint'), converted: types('integer|bigint') },
  max_retries: { ...aCount, synonyms: ['max_attempts'] },
  event_id: { ...aText, synonyms: ['message_id'] },
  source_kind: aText,
  source_topic: { ...aText, synonyms: ['topic', 'original_topic'] },
  source_partition: { ...aCount, synonyms: ['kafka_partition', 'partition'] },
  source_offset: {
    same: types('bigint'),
    converted: types('integer|smallint'),
    synonyms: ['kafka_offset', 'offset'],
  },
  source_key: { ...aText, synonyms: ['message_key'] },
  source_subscription: aText,
  consumer_group: { ...aText, synonyms: ['consumer', 'consumer_name'] },
  trace_id: aText,
  content_type: aText,
  headers: { same: types('jsonb'), converted: types('json') },
  metadata: { same: types('jsonb'), converted: types('json') },
};
