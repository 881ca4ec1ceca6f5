import { inflateSync } from 'node:zlib';
import { parseJson } from '../../json/parse-json.ts';
import { toCount, toDateFromMillis, toDateFromSeconds, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { describeFailedMessage, dropMembers, openEnvelope } from '../failed-message.ts';
import type { DeadLetterFormat } from '../message.ts';

/** No stack trace is longer, in bytes. */
const maxBacktrace = 2 ** 20;

/**
 * A job of Sidekiq's retry or dead set. ActiveJob names its own class in `wrapped`. Sidekiq 8 writes times in
 * milliseconds, older releases in seconds.
 * https://github.com/sidekiq/sidekiq/blob/main/lib/sidekiq/job_retry.rb
 */
export const readSidekiq: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (typeof json?.jid !== 'string' || typeof json.error_class !== 'string') return undefined;
  if (typeof json.class !== 'string' || !Array.isArray(json.args)) return undefined;
  const retries = toCount(json.retry_count);
  const stack = readBacktrace(json.error_backtrace);
  return {
    ...describeFailedMessage(message, {
      kind: 'sidekiq',
      identity: json.jid,
      failure: toText(json.retried_at) ?? toText(json.failed_at),
      facts: {
        eventId: json.jid,
        eventType: toText(json.wrapped) ?? json.class,
        errorReason: joinReason(toText(json.error_class), toText(json.error_message)),
        errorClass: toText(json.error_class),
        errorStacktrace: stack,
        sourceTopic: toText(json.queue),
        sourceAttempts: retries === null ? null : retries + 1,
        occurredAt: toDateFromSeconds(json.created_at) ?? toDateFromMillis(json.created_at),
      },
    }),
    ...dropMembers(
      message,
      // The retries write all of these, and each push to a queue writes `enqueued_at`.
      [
        ...['error_class', 'error_message', 'error_backtrace', 'retry_count'],
        ...['failed_at', 'retried_at', 'enqueued_at', 'discarded_at'],
      ],
      ['error_class', 'error_message', ...(stack === null ? [] : ['error_backtrace'])],
    ),
  };
};

/** The lines of a stack trace: an array, or since Sidekiq 6 base64 of its compressed JSON. */
function readBacktrace(trace: unknown): string | null {
  const lines = typeof trace === 'string' ? inflate(trace) : trace;
  return Array.isArray(lines) ? toText(lines.filter((line) => typeof line === 'string').join('\n')) : null;
}

function inflate(base64: string): unknown {
  try {
    return parseJson(
      inflateSync(Buffer.from(base64, 'base64'), { maxOutputLength: maxBacktrace }).toString(),
    );
  } catch {
    return undefined;
  }
}
