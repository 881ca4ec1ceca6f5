import assert from 'node:assert/strict';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, setDefaultAutoSelectFamily } from 'node:net';
import { describe, it } from 'node:test';
import { anHttpDelivery, valuesOf } from '../../../support/http-delivery.ts';
import { useHttpTarget } from '../../../support/http-target.ts';
import { token } from '../../../support/leased-event.ts';
import { send } from '../../../support/send.ts';
import { waitUntil } from '../../../support/wait-until.ts';

type Delivery = Parameters<typeof anHttpDelivery>[1];

describe('a delivery by HTTP', () => {
  const target = useHttpTarget();
  const deliver = async (delivery: Delivery) => {
    const outcome = await send(anHttpDelivery(target().url, delivery));
    assert.equal(outcome.kind, 'delivered', outcome.error);
    const arrived = target().received.at(-1);
    assert.ok(arrived);
    return arrived;
  };
  const sent = async (name: string, delivery: Delivery) =>
    valuesOf((await deliver(delivery)).rawHeaders, name);

  for (const [what, body] of Object.entries({
    'JSON with its spaces and digits': Buffer.from('{ "amount": 1.10,\n "id": 12345678901234567890 }'),
    'every byte there is': Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
    'nothing at all': Buffer.alloc(0),
    'ten megabytes': Buffer.alloc(10_000_000, 'x'),
  })) {
    it(`sends exactly the bytes of ${what}`, async () => {
      const arrived = await deliver({ body });

      assert.ok(arrived.body.equals(body));
      assert.equal(arrived.headers['content-length'], String(body.length));
    });
  }

  it('sends dlo-event-id and dlo-attempt', async () => {
    const delivery = { event: { id: '9223372036854775807' }, attempt: 3 };

    assert.deepEqual(await sent('dlo-event-id', delivery), [`9223372036854775807.${token}`]);
    assert.deepEqual(await sent('dlo-attempt', delivery), ['3']);
  });

  it('ignores dlo headers of the event', async () => {
    const headers = { 'dlo-event-id': '666', 'DLO-Attempt': '0', 'dlo-anything': 'x' };
    const { rawHeaders } = await deliver({ event: { headers } });

    const ours = ['dlo-event-id', 'dlo-attempt', 'dlo-anything'].map((name) => valuesOf(rawHeaders, name));
    assert.deepEqual(ours, [[`1.${token}`], ['1'], []]);
  });

  it('sends the Host header of the configured URL', async () => {
    const { host } = new URL(target().url);

    assert.deepEqual(await sent('host', { event: { headers: { Host: 'evil' } } }), [host]);
    assert.deepEqual(await sent('host', { target: { headers: { Host: 'shop.internal' } } }), [
      'shop.internal',
    ]);
  });

  it('sends configured headers instead of those of the event', async () => {
    const event = { contentType: 'text/plain', headers: { 'X-Tenant': ['a', 'b'] } };
    const headers = { 'x-tenant': 'acme', 'Content-Type': 'application/json', authorization: 'Bearer ours' };
    const { rawHeaders } = await deliver({ event, target: { headers } });

    for (const [name, value] of Object.entries(headers)) {
      assert.deepEqual(valuesOf(rawHeaders, name.toLowerCase()), [value]);
    }
  });

  it('looks up the name of its target once, however many deliveries wait for it', async (context) => {
    const found = Promise.withResolvers<LookupAddress[]>();
    const lookUp = context.mock.method(dns.promises, 'lookup', () => found.promise);
    const { port } = new URL(target().url);
    const sent = Array.from({ length: 10 }, () => send(anHttpDelivery(`http://shop.test:${port}/`)));
    await waitUntil('the name is looked up', () => lookUp.mock.callCount() > 0);
    found.resolve([{ address: '127.0.0.1', family: 4 }]);
    const kinds = (await Promise.all(sent)).map(({ kind }) => kind);
    assert.deepEqual([kinds, lookUp.mock.callCount()], [Array(10).fill('delivered'), 1]);
  });

  it('finds its target where Node is told to try one address only', async (context) => {
    context.after(() => setDefaultAutoSelectFamily(true));
    setDefaultAutoSelectFamily(false);
    context.mock.method(dns.promises, 'lookup', async () => [{ address: '127.0.0.1', family: 4 }]);
    const { port } = new URL(target().url);
    assert.equal((await send(anHttpDelivery(`http://shop.test:${port}/`))).kind, 'delivered');
  });

  it('sends the content type of the event', async () => {
    const event = { contentType: 'text/csv', headers: {} };
    const restored = { ...event, headers: { 'Content-Type': 'text/plain' } };

    assert.deepEqual(await sent('content-type', { event }), ['text/csv']);
    assert.deepEqual(await sent('content-type', { event: restored }), ['text/plain']);
  });

  it('sends a JSON event without content type as application/json', async () => {
    assert.deepEqual(await sent('content-type', {}), ['application/json']);
    assert.deepEqual(await sent('content-type', { event: { payloadEncoding: 'text' } }), []);
  });

  it('sends an event whose content type is no valid field value', async () => {
    const event = { contentType: 'text/plain; name=€\r\nevil: 1' };

    const [value] = await sent('content-type', { event });
    assert.equal(Buffer.from(value ?? '', 'latin1').toString(), 'text/plain; name=€%0D%0Aevil: 1');
  });

  it('reuses a connection, so that there are no more of them than deliveries at once', async () => {
    const ports = new Set<number | undefined>();
    target().answer = (_, response) => {
      ports.add(response.socket?.remotePort);
      response.end();
    };
    const deliverThree = async () => {
      for (let i = 0; i < 3; i++) await deliver({});
    };
    await deliverThree();
    assert.equal(ports.size, 1);
    await Promise.all([deliverThree(), deliverThree()]);
    assert.equal(ports.size, 2);
  });

  for (const answer of ['413 No', '200 OK']) {
    it(`does not wait behind a large body of which the target read no more after its ${answer}`, async () => {
      const server = createServer((socket) => {
        socket.once('data', (chunk) => {
          const isLarge = chunk.toString('latin1').includes('content-length: 20000000');
          if (isLarge) socket.pause();
          socket.write(`HTTP/1.1 ${isLarge ? answer : '200 OK'}\r\ncontent-length: 0\r\n\r\n`);
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const early = await send(anHttpDelivery(url, { body: Buffer.alloc(20_000_000) }));
      const next = await send(anHttpDelivery(url, { timeoutSeconds: 3 }));
      server.close();

      assert.deepEqual([early.responseStatus, next.kind], [Number.parseInt(answer, 10), 'delivered']);
    });
  }
});
