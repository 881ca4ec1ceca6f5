import { isObject } from '../../json/parse-json.ts';
import { toCount, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { describeFailedMessage, dropMembers, openEnvelope } from '../failed-message.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * The result of a failed Celery task, as result backends store it. Only `result_extended` adds the task's name and its
 * arguments. An exception in a result is `{"exc_type", "exc_message", "exc_module"}`.
 * https://docs.celeryq.dev/en/stable/userguide/configuration.html#result-extended
 */
export const readCeleryResult: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (typeof json?.task_id !== 'string' || !isObject(json.result)) return undefined;
  if (json.status !== 'FAILURE' && json.status !== 'RETRY') return undefined;
  const { exc_type: type, exc_message: text, exc_module: module } = json.result;
  if (typeof type !== 'string' || !('traceback' in json)) return undefined;
  const errorClass = typeof module === 'string' && module !== 'builtins' ? `${module}.${type}` : type;
  const retries = toCount(json.retries);
  return {
    ...describeFailedMessage(message, {
      kind: 'celery',
      identity: json.task_id,
      failure: toText(json.date_done),
      facts: {
        eventId: json.task_id,
        eventType: toText(json.name) ?? 'unknown',
        errorReason: joinReason(errorClass, readMessage(text)),
        errorClass,
        errorStacktrace: toText(json.traceback),
        sourceTopic: toText(json.queue),
        sourceAttempts: retries === null ? null : retries + 1,
      },
    }),
    ...dropMembers(
      message,
      ['status', 'result', 'traceback', 'children', 'date_done', 'worker', 'retries'],
      ['traceback'],
    ),
  };
};

/** The arguments of the exception, of which most have one. */
function readMessage(text: unknown): string | null {
  return Array.isArray(text) ? joinReason(...text.map(toText)) : toText(text);
}
