import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { settleEvents } from '../../../shared/delivery/settle.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import { aSettlement, claim } from '../../support/claims.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { countPages } from '../../support/plans.ts';

describe('a large message', () => {
  const database = useDatabase();
  /** The out-of-line chunks of the table, and the transaction that wrote each. */
  const listChunks = async () => {
    const [{ toast } = { toast: '' }] = await database().sql<{ toast: string }>(
      `select reltoastrelid::regclass as toast from pg_class where oid = 'dlq_events'::regclass`,
    );
    return database().sql(`select chunk_id, chunk_seq, xmin::text from ${toast} order by 1, 2`);
  };

  it('is not rewritten by a claim, a failure or a delivery', async () => {
    const text = randomBytes(15_000).toString('base64');
    await anEvent(database(), {
      payload: JSON.stringify({ text }),
      body: Buffer.from(text),
      error_stacktrace: text,
    });
    const stored = await listChunks();
    assert.ok(stored.length > 20);

    for (const status of ['PENDING', 'SUCCEEDED'] as const) {
      const leaseToken = crypto.randomUUID();
      const [event] = await claim(database(), { leaseToken });
      const outcome = status === 'PENDING' ? 'transient' : 'delivered';
      const settlements = [aSettlement(event?.id ?? '', leaseToken, { status, outcome, retryInSeconds: 0 })];
      const settled = await settleEvents(database().db, {
        runId: '1',
        settlements,
      });
      assert.equal(settled.length, 1);
    }
    assert.deepEqual(await listChunks(), stored);
  });

  it('is read as far as its page shows it, also if that ends within a character', async () => {
    const pagesOf = async (text: string) => {
      const body = Buffer.from(JSON.stringify({ text }));
      const id = await anEvent(database(), { payload: '{"text": "decoded"}', body });
      const cut = { id, from: 1, max: 262_144, maxText: 150_001, maxHeaders: 262_144 };
      assert.equal((await readEvent(database().db, id)).payloadText, null);
      return countPages(database(), 'read-event', cut);
    };
    // The first statement of a session reads some pages of the catalog.
    const pages = [await pagesOf(randomBytes(3_000_000).toString('base64')), await pagesOf('é'.repeat(2e6))];
    assert.ok(Math.max(...pages) < 400, `${pages} pages`);
  });
});
