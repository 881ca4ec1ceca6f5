import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxHeaderBytes } from '../../../../shared/events/read-event.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';

type Message = {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly bodyBase64: string;
};

describe('a message shown by the API', () => {
  const database = useDatabase();
  const api = useApi(database);
  const masking = useApi(database, { masks: ['$.card'] });

  it('has the exact bytes and the headers of the message, and nothing of a redelivery', async () => {
    const body = Buffer.from([0, 255, 10, 13]);
    const columns = {
      body,
      headers: '{"x-tenant": "us", "authorization": "secret"}',
      content_type: 'image/png',
    };
    const { body: message } = await api().get<Message>(
      `/events/${await anEvent(database(), columns)}/message`,
    );
    assert.deepEqual(Buffer.from(message.bodyBase64, 'base64'), body);
    assert.deepEqual(message.headers, [
      { name: 'x-tenant', value: 'us' },
      { name: 'content-type', value: 'image/png' },
    ]);
  });

  it('is not shown without a part of its headers', async () => {
    const headers = JSON.stringify({ 'x-large': 'x'.repeat(maxHeaderBytes) });
    const { status } = await api().get(`/events/${await anEvent(database(), { headers })}/message`);
    assert.equal(status, 409);
  });

  it('is not shown if it has masked fields', async () => {
    const { status } = await masking().get(`/events/${await anEvent(database())}/message`);
    assert.equal(status, 403);
  });
});
