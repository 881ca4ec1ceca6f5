import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { deadLetters, type Options } from '../../../packages/client/client.ts';
import { useCapture } from '../../support/capture.ts';
import { useCaptureFront } from '../../support/client/capture-front.ts';
import { useDatabase } from '../../support/database.ts';
import { aToken, useMetadataServer } from '../../support/metadata-server.ts';

const secret = 'a secret of a bridge';

describe('a report proves its sender', () => {
  const database = useDatabase();
  const capture = useCapture(database, { secrets: [secret] });
  const front = useCaptureFront(() => capture().url);
  const metadata = useMetadataServer();
  beforeEach(() => database().clear());
  const open = (options: Partial<Options>) => {
    const from = (id: string) => ({ body: 'Grüße', eventId: id });
    const client = deadLetters({
      ...{ capture: front().url, consumer: 'billing', from, attempts: 1, warn: () => {} },
      ...options,
    });
    return client.wrap(() => {
      throw new Error('no stock');
    });
  };
  const count = async () => (await database().sql('select from dlq_events')).length;

  it('by a signature that capture verifies', async () => {
    await open({ secret })('m-1');
    assert.equal(await count(), 1);
  });

  it('or stays with its broker', async () => {
    await assert.rejects(open({ secret: 'another secret than that' })('m-1'), /no stock/);
    assert.equal(await count(), 0);
  });

  it('by a token for the audience on Google Cloud, which it asks for once', async () => {
    const audience = 'https://capture.acme.example';
    const handle = open({ audience });
    await assert.rejects(handle('m-1'));
    await assert.rejects(handle('m-2'));
    const sent = front().received.map(({ authorization }) => authorization);
    assert.deepEqual(metadata().audiences, [audience]);
    assert.deepEqual(sent, Array(2).fill(`Bearer ${aToken(audience)}`));
  });

  it('without what the metadata server answers in place of a token', async () => {
    metadata().answer = (response) => response.end('<html>Sign in</html>');
    await assert.rejects(open({ audience: 'https://capture.acme.example' })('m-1'), /no stock/);
    assert.deepEqual(
      front().received.map(({ authorization }) => authorization),
      [undefined],
    );
  });

  it('without a token over HTTP, unless an audience asks for one', async () => {
    await assert.rejects(open({})('m-1'));
    assert.deepEqual(metadata().audiences, []);
    assert.equal(front().received[0]?.authorization, undefined);
  });

  it('never with options that cannot work, all of which are reported together', () => {
    const options = {
      capture: 'capture',
      consumer: '',
      secret: 'short',
      attempts: 0,
      from: 'kafka' as 'kafkajs',
    };
    const named =
      /from = "kafka" is none of pubsub, kafkajs,.*capture = "capture".*consumer is empty.*secret is shorter.*attempts = 0/s;
    assert.throws(() => deadLetters(options), named);
    const known = { ...options, capture: 'https://ann:secret@capture.acme.example' };
    assert.throws(() => deadLetters(known), /capture = .* is not a URL/);
  });
});
