import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCapture } from '../support/capture.ts';
import { useCaptureFront } from '../support/client/capture-front.ts';
import { useDatabase } from '../support/database.ts';
import { readBlocks } from '../support/guide.ts';
import { aToken, useMetadataServer } from '../support/metadata-server.ts';
import { redelivery } from '../support/redelivery.ts';
import { sampleLanguages } from '../support/sample-program.ts';
import { useShell } from '../support/shell.ts';
import { isItsTurn } from '../support/taken-in-turn.ts';

const page = 'docs/send.md';

describe(page, () => {
  it('has a sample in each language that the tests run', () => {
    const samples = ['ts', 'python', 'java', 'go'].map((language) => readBlocks(page, language).length);
    assert.deepEqual(samples, [1, 1, 1, 1]);
  });
});

for (const { language, file, command, timeout, complete, skip } of sampleLanguages) {
  describe(`the sample of ${page} in ${language}`, { skip: skip || !isItsTurn('send.md') }, () => {
    const database = useDatabase();
    const capture = useCapture(database);
    const front = useCaptureFront(() => capture().url);
    const metadata = useMetadataServer();
    const shell = useShell(() => ({
      CAPTURE: front().url,
      GCE_METADATA_HOST: process.env.GCE_METADATA_HOST ?? '',
      CAPTURE_AUDIENCE: new URL(front().url).origin,
    }));
    const [code = ''] = readBlocks(page, language).map((block) => block.code.replace(...timeout));
    const run = async (variables = '') => {
      shell.write(file, complete(code));
      return await shell.run(`${variables} ${command} 2> warnings`);
    };
    const readEvents = () =>
      database().sql<{ message: string; failure_count: number; error_reason: string }>(
        `select convert_from(coalesce(body, payload::text::bytea), 'UTF8') as message, failure_count, error_reason
        from dlq_events`,
      );

    it('stores a failure once, with its bytes, through refused, silent and cut requests', async () => {
      front().faults.push(503, 'silent', 'unanswered');
      assert.equal(await run(), '');
      assert.deepEqual(await readEvents(), [
        { message: '{"n": 1.10}', failure_count: 1, error_reason: 'no "stock"' },
      ]);
      const keys = front().received.map((headers) => headers['idempotency-key']);
      assert.equal(keys.length, 4);
      assert.equal(new Set(keys).size, 1);
      assert.ok(metadata().audiences.length > 0);
      assert.deepEqual(
        new Set(front().received.map((headers) => headers.authorization)),
        new Set([`Bearer ${aToken(new URL(front().url).origin)}`]),
      );
    });

    it('passes the id of a redelivery on, so that its failure is a recurrence', async () => {
      await database().clear();
      await run();
      await database().sql(`update dlq_events set status = 'PROCESSING'`);
      await database().sql(`update dlq_events set status = 'SUCCEEDED'`);
      const [event] = await database().sql<{ redelivery: string; attempt: number }>(
        `select ${redelivery} as redelivery, delivery_count as attempt from dlq_events`,
      );
      await run(`EVENT_ID='${event?.redelivery}' ATTEMPT=${event?.attempt}`);
      const events = await readEvents();
      assert.deepEqual(
        events.map(({ failure_count }) => failure_count),
        [2],
      );
    });

    it('leaves a message that capture does not take to its broker', async () => {
      front().faults.push(413);
      assert.equal(await run(), 'left\n');
      assert.equal(front().received.length, 1);
    });
  });
}
