import { isObject } from '../../json/parse-json.ts';
import { toCount, toDateFromMillis, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { describeFailedMessage, openEnvelope, takeMember } from '../failed-message.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * A failed job of BullMQ, or of Bull, as JSON.stringify prints it. Its id may be a number that each queue counts: the
 * time of its creation tells jobs with equal ids apart.
 * https://github.com/taskforcesh/bullmq/blob/master/src/classes/job.ts
 */
export const readBullMq: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (typeof json?.failedReason !== 'string' || !isObject(json.opts)) return undefined;
  const [id, name, createdAt] = [toText(json.id), toText(json.name), toDateFromMillis(json.timestamp)];
  if (id === null || name === null || createdAt === null || !('data' in json)) return undefined;
  if (!('stacktrace' in json) || toCount(json.attemptsMade) === null) return undefined;
  // A job that succeeded in the end may still have the reason of an earlier attempt.
  if ((json.returnvalue ?? null) !== null) return undefined;
  const queue = toText(json.queueQualifiedName);
  // One for each attempt that threw; a job that stalled has none.
  const stacks = Array.isArray(json.stacktrace) ? json.stacktrace : [];
  const stack = toText(stacks.at(-1));
  const errorClass = readClass(stack, json.failedReason);
  return {
    ...describeFailedMessage(message, {
      kind: 'bullmq',
      identity: `${queue === null ? '' : `${queue}/`}${id}/${createdAt.getTime()}`,
      failure: toText(json.finishedOn) ?? toText(json.processedOn),
      facts: {
        eventId: id,
        eventType: name,
        errorReason: joinReason(errorClass, toText(json.failedReason)),
        errorClass,
        errorStacktrace: stack,
        sourceTopic: queue,
        sourceAttempts: toCount(json.attemptsMade),
        occurredAt: createdAt,
      },
    }),
    ...takeMember(message, 'data', [
      ...['id', 'name', 'failedReason', 'attemptsMade', 'queueQualifiedName', 'timestamp'],
      ...(stacks.length > 1 ? [] : ['stacktrace']),
    ]),
  };
};

/** The class stands only at the beginning of the stack trace, before the message. */
function readClass(stack: string | null, reason: string): string | null {
  const [prefix, errorClass] = /^([A-Za-z_$][\w$]*): /.exec(stack ?? '') ?? [];
  return prefix && errorClass && stack?.startsWith(reason, prefix.length) ? errorClass : null;
}
