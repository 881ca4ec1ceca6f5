import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CreateSubscriptionOptions, PubSub } from '@google-cloud/pubsub';
import type { StoredMessage } from '../../../shared/message/printed-message.ts';
import { useDatabase } from '../../support/database.ts';
import { emulatorIsMissing, startEmulator } from '../support/start-emulator.ts';
import { startProduct } from '../support/start-product.ts';
import { waitFor } from '../support/start-program.ts';
import { messageColumns, withBytes } from '../support/stored-message.ts';

process.env.METADATA_SERVER_DETECTION = 'none';

const message = {
  attributes: { event_type: 'order.created', tenant: 'acme', price: '1.10', empty: '' },
  orderingKey: 'customer-7',
};

type Row = StoredMessage & Readonly<Record<'subscription' | 'key' | 'headers', unknown>>;

type Form = { readonly noWrapper?: object; readonly data: Buffer; readonly key: string | null };

/**
 * The emulator omits the ordering key of a wrapped message, and destroys bytes that are no UTF-8 of an
 * unwrapped one.
 */
const forms: Readonly<Record<string, Form>> = {
  wrapped: { data: Buffer.from([0, 255, 10, 195, 40]), key: null },
  unwrapped: {
    noWrapper: { writeMetadata: true },
    data: Buffer.from('{"total": 1.50, "note": "größer – 注文"}'),
    key: 'customer-7',
  },
};

describe("pushes of Google's emulator", { skip: emulatorIsMissing }, () => {
  const database = useDatabase();
  let client: PubSub;
  let capture: string;

  before(async () => {
    client = new PubSub({ projectId: 'acme', apiEndpoint: await startEmulator() });
    capture = `${await startProduct(database().url, [])}/capture`;
  });
  after(() => client?.close());

  for (const [form, { noWrapper, data, key }] of Object.entries(forms)) {
    it(`stores all of a message that is ${form}`, async () => {
      const [topic] = await client.createTopic(`orders-${form}`);
      const pushConfig = { pushEndpoint: capture, ...(noWrapper && { noWrapper }) };
      const options = { enableMessageOrdering: true, pushConfig } as CreateSubscriptionOptions;
      const [{ name: subscription }] = await topic.createSubscription(`capture-${form}`, options);
      topic.setPublishOptions({ messageOrdering: true });
      await topic.publishMessage({ ...message, data });
      let rows: Row[] = [];
      const isStored = async () => {
        rows = await database().sql<Row>(
          `select source_subscription as subscription, source_key as key, headers, ${messageColumns}
            from dlq_events where source_subscription = $1`,
          [subscription],
        );
        return rows.length > 0;
      };
      await waitFor('the message was stored', isStored, { seconds: 60 });
      const stored = { subscription, key, headers: message.attributes, body: data };
      assert.deepEqual(rows.map(withBytes), [stored]);
    });
  }
});
