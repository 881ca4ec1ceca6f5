import * as v from 'valibot';
import { readCapturesInTurns } from '../../shared/capture/read-captures.ts';
import { type Stored, storeCaptures } from '../../shared/capture/store-captures.ts';
import { reasonEntry, requiredText } from '../../shared/events/actions/operator-text.ts';
import { recordAction } from '../../shared/events/actions/record-action.ts';
import { described, listOf, text } from '../../shared/response-values.ts';
import { operation } from './api/operation.ts';

const ImportSchema = v.strictObject({
  lines: v.pipe(
    v.array(v.pipe(v.string(), v.regex(/^[^\n]*\S[^\n]*$/, 'Give one line each, not an empty one.'))),
    v.minLength(1, 'Give at least one line.'),
    v.maxLength(1000, 'Give at most 1000 lines.'),
    v.description('Failures as JSON, one each, in any format that capture reads.'),
  ),
  key: requiredText(255, 'Identifies these lines: the same key and lines again change nothing.'),
  reason: reasonEntry,
});

const ImportedSchema = v.strictObject({
  auditId: text,
  items: listOf(
    v.strictObject({
      id: described(text, 'The event of the line.'),
      isNew: described(v.boolean(), 'False if this failure was captured before.'),
      format: described(v.nullable(text), 'As what the line was read; null: as a message.'),
      unread: v.exactOptional(described(text, 'What of the line could not be read.')),
    }),
  ),
});

export const importEventsOperation = operation(
  {
    summary: 'Import failures from lines of JSON',
    description: 'Captures each line as one event, all or none. A line that is not JSON is a message, too.',
    body: ImportSchema,
    returns: ImportedSchema,
  },
  async ({ db, retry: { repeatSeconds } }, { body, caller }) => {
    const { lines, key, reason } = body;
    const readLine = (line: string, i: number) => {
      // One line is one event, even if it is an array.
      const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': `${key}/${i}` };
      const query = new URLSearchParams();
      return readCapturesInTurns({ path: '/', query, headers, body: Buffer.from(line) });
    };
    const captures = (await Promise.all(lines.map(readLine))).flat();
    let stored: readonly Stored[] = [];
    const opening = { actor: caller.name, action: 'import', reason, details: { key, lines: lines.length } };
    const { auditId } = await recordAction(db, opening, async (_, done) => {
      stored = await storeCaptures({ db, repeatSeconds }, captures);
      done.changed = stored.filter(({ isNew }) => isNew).length;
      return { changed: done.changed };
    });
    const items = captures.map(({ format, unread }, i) => {
      const { id, isNew } = stored[i] as Stored;
      return { id, isNew, format, ...(unread !== null && { unread }) };
    });
    return { body: { auditId, items } };
  },
);
