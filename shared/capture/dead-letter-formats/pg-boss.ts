import { isObject } from '../../json/parse-json.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { describeFailedMessage, openEnvelope, takeMember } from '../failed-message.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * A failed job of pg-boss, or its copy in a dead-letter queue: a row as JSON, in snake_case or before version 10 in lower
 * case, or as its functions return it, in camelCase. The copy has an id of its own and names its source. `output` is the
 * error of the last attempt.
 * https://github.com/timgit/pg-boss/blob/master/docs/api/jobs.md
 */
export const readPgBoss: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (!json || !('data' in json) || !isObject(json.output)) return undefined;
  const read = (name: string) => json[name] ?? json[toSnakeCase(name)] ?? json[name.toLowerCase()];
  const [ownId, ownName] = [toText(json.id), toText(json.name)];
  const sourceId = toText(read('sourceId'));
  const retries = toCount(read('sourceRetryCount') ?? read('retryCount'));
  if (ownId === null || ownName === null || retries === null) return undefined;
  if (toCount(read('retryLimit')) === null) return undefined;
  if (typeof json.state !== 'string' || json.state === 'completed') return undefined;
  const id = sourceId ?? ownId;
  const name = toText(read('sourceName')) ?? ownName;
  const { output } = json;
  return {
    ...describeFailedMessage(message, {
      kind: 'pg-boss',
      identity: `${name}/${id}`,
      failure: toText(read('completedOn')) ?? (sourceId === null ? null : ownId),
      facts: {
        eventId: id,
        eventType: name,
        errorReason: joinReason(toText(output.name), toText(output.message) ?? toText(output.value)),
        errorClass: toText(output.name),
        errorStacktrace: toText(output.stack),
        sourceTopic: name,
        sourceAttempts: retries + 1,
        occurredAt: toDate(read('sourceCreatedOn')) ?? toDate(read('createdOn')),
      },
    }),
    ...takeMember(message, 'data', []),
  };
};

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
