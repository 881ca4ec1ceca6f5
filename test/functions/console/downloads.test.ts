import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { readBody } from '../../../functions/console/events/downloads.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import { aCapture } from '../../support/captures.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { pickVariant } from '../../support/sample.ts';

const letters = 'é😀 a'.repeat(400_000);
// Each is read in several parts, which end within a character.
const bodies = {
  'JSON that is printed again': JSON.stringify({ a: [letters, 1.5], b: 'x'.repeat(400_000) }),
  'JSON that is stored': `{"a" :  "${letters}"}`,
  'a text': letters,
  'binary data': Buffer.concat([Buffer.of(0, 255), randomBytes(4_000_000)]),
  nothing: '',
};

describe('a download of a body', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const capture = async (body: string | Buffer) => {
    const { db } = database();
    const captures = [
      aCapture({ eventKey: `id:${randomBytes(8).toString('hex')}`, body: Buffer.from(body) }),
    ];
    const [stored] = await storeCaptures({ db, repeatSeconds: 600 }, captures);
    return stored?.id ?? '';
  };
  const download = async (id: string) =>
    Buffer.from(await (await fetch(`${served().url}/events/${id}/body`)).arrayBuffer());

  for (const [name, body] of pickVariant('body', Object.entries(bodies))) {
    it(`has every byte of ${name}`, async () => {
      assert.ok((await download(await capture(body))).equals(Buffer.from(body)));
    });
  }

  it('has every byte of a message from plain SQL', async () => {
    const [row] = await database().sql<{ id: string; text: string }>(
      `insert into dlq_events (event_type, payload)
       values ('a', jsonb_build_object('id', repeat('é1', 800000))) returning id, payload::text as text`,
    );
    assert.ok((await download(row?.id ?? '')).equals(Buffer.from(row?.text ?? '')));
  });

  it('reads a large body in few parts, each of which is printed as a whole', async () => {
    const { db } = database();
    const event = await readEvent(db, await capture('é'.repeat(6_000_000)), { max: 0 });
    const sizes = await Array.fromAsync(readBody(db, event), ({ length }) => length);
    assert.deepEqual(sizes, [1_572_864, 6_291_456, 4_135_680]);
  });

  it('ends early if the message is changed meanwhile', async () => {
    const { db } = database();
    const parts = readBody(db, await readEvent(db, await capture(letters), { max: 0 }));
    await parts.next();
    await database().sql(
      `update dlq_events set payload = to_jsonb(repeat('b', 2000000)) where payload_encoding = 'text'`,
    );
    await assert.rejects(parts.next(), /changed/);
  });
});
