import { isObject } from '../../json/parse-json.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { describeFailedMessage, openEnvelope, takeMember } from '../failed-message.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * A job of River that failed and is not completed: a row of `river_job` as JSON, or as River UI's API prints it, with the arguments as text. Each
 * database counts its ids: the time of its creation tells jobs with equal ids apart.
 * https://github.com/riverqueue/river/blob/master/rivertype/river_type.go
 */
export const readRiver: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (!json || !('args' in json) || !Array.isArray(json.errors)) return undefined;
  const [id, type, queue] = [toText(json.id), toText(json.kind), toText(json.queue)];
  const [createdAt, error] = [toDate(json.created_at), json.errors.at(-1)];
  if (id === null || type === null || queue === null || createdAt === null) return undefined;
  if (toCount(json.max_attempts) === null || !isAttemptError(error)) return undefined;
  if (json.state === 'completed') return undefined;
  const { body, ...envelope } = takeMember(message, 'args', [
    ...['id', 'kind', 'queue', 'attempt', 'created_at'],
    ...(json.errors.length > 1 ? [] : ['errors']),
  ]);
  return {
    ...describeFailedMessage(message, {
      kind: 'river',
      identity: `${queue}/${id}/${createdAt.toISOString()}`,
      failure: toText(error.at),
      facts: {
        eventId: id,
        eventType: type,
        errorReason: error.error,
        errorStacktrace: toText(error.trace),
        sourceTopic: queue,
        sourceAttempts: toCount(json.attempt),
        occurredAt: createdAt,
      },
    }),
    ...envelope,
    body: typeof json.args === 'string' ? Buffer.from(json.args) : body,
  };
};

/** An error of one attempt: `{"at", "attempt", "error", "trace"}`. */
function isAttemptError(value: unknown): value is Record<string, unknown> & { readonly error: string } {
  return isObject(value) && typeof value.error === 'string' && toCount(value.attempt) !== null;
}
