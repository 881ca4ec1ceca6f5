import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { readCaptures, readCapturesInTurns } from '../../../shared/capture/read-captures.ts';
import { findExcess } from '../../../shared/json/find-excess.ts';

const list = (count: number, print: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => print(i)).join();
const member = (i: number) => `"n${i}":1`;
const header = (i: number) => `{"key":"h${i}","value":"MQ=="}`;
const kafka = 'application/vnd.kafka.binary.v2+json';
const report = 'application/vnd.dead-letter-office.report+json';
const record = (headers: string) =>
  `{"topic":"t","partition":0,"offset":1,"key":null,"value":"e30=","headers":[${headers}]}`;
const push = (attributes: string) =>
  `{"subscription":"s","message":{"messageId":"1","data":"e30=","attributes":{${attributes}}}}`;

const read = (type: string, body: string) => {
  const request = { path: '/', query: new URLSearchParams(), headers: { 'content-type': type } };
  return readCaptures({ ...request, body: Buffer.from(body) });
};

const tooMany = {
  'members of one object': [
    'application/json',
    `{${list(10_001, member)}}`,
    'more than 10,000 members of one object',
  ],
  'members behind blank lines': [
    'application/json',
    `${'\n'.repeat(200)}{${list(10_001, member)}}`,
    'more than 10,000 members of one object',
  ],
  'members behind a byte-order mark': [
    'application/json',
    `\uFEFF{${list(10_001, member)}}`,
    'more than 10,000 members of one object',
  ],
  'members of a report that are no facts': [
    report,
    `{"error":"x",${list(10_001, member)}}`,
    'more than 10,000 members of one object',
  ],
  'members of metadata': [
    report,
    `{"error":"x","metadata":{${list(10_001, member)}}}`,
    'more than 10,000 members of one object',
  ],
  'attributes of Pub/Sub': [
    'application/json',
    push(list(1001, (i) => `"a${i}":"1"`)),
    'more than 1,000 headers',
  ],
  values: ['application/json', `[${list(500_001, () => '1')}]`, 'more than 500,000 values'],
  levels: ['application/json', `${'['.repeat(200_001)}${']'.repeat(200_001)}`, 'more than 200,000 levels'],
  'headers of a Kafka record': [kafka, record(list(1001, header)), 'more than 1,000 headers'],
  'values of one header': [kafka, record(list(1001, () => header(1))), 'more than 1,000 headers'],
} as const;

describe('a request with too many', () => {
  for (const [what, [type, body, excess]] of Object.entries(tooMany)) {
    it(`${what} is one message, byte for byte, and says so`, () => {
      const captures = read(type, body);

      assert.deepEqual(
        captures.map(({ unread }) => unread),
        [`not read: ${excess}`],
      );
      assert.equal(captures[0]?.body.toString(), body);
      assert.notEqual(captures[0]?.payload.encoding, 'none');
    });
  }

  it('frames of zstd in its messages has some that are kept as they are, and say so', () => {
    const data = Buffer.concat(Array(100).fill(zstdCompressSync(''))).toString('base64');
    const attributes = { 'content-encoding': 'zstd' };
    const line = JSON.stringify({ subscription: 's', message: { messageId: '1', data, attributes } });
    const captures = read('application/x-ndjson', `${line}\n`.repeat(400));
    const says = captures.map(({ unread }) => unread);
    assert.deepEqual(
      [says[0], says.at(-1)],
      [null, 'not read: more than 1 MiB decompressed, or 8 MiB of its request'],
    );
    assert.ok(captures.every(({ body }) => body.equals(Buffer.from(data, 'base64'))));
  });

  it('messages is one message', () => {
    assert.equal(read('application/json', `[${list(10_001, String)}]`).length, 1);
  });
});

describe('JSON at a limit', () => {
  for (const [limit, max, print] of [
    ['members of one object', 10_000, (count: number) => `{${list(count, member)}}`],
    ['values', 500_000, (count: number) => `[${list(count, () => '1')}]`],
    ['levels', 200_000, (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`],
  ] as const) {
    it(`of ${limit} is read, and with one more it is not`, () => {
      const found = [max, max + 1].map((count) => findExcess(Buffer.from(print(count))));
      assert.deepEqual(found, [undefined, `more than ${max.toLocaleString('en')} ${limit}`]);
    });
  }
});

describe('a text of any length within a message', () => {
  it('is read if it is the answer that Knative got', () => {
    const attributes = { specversion: '1.0', id: '1', source: '/a', type: 't', knativeerrorcode: '500' };
    const event = { ...attributes, knativeerrordata: 'YWJj'.repeat(2_500_000), data: 1 };
    const [capture] = read('application/cloudevents+json', JSON.stringify(event));
    assert.equal(capture?.errorReason?.length, 'HTTP 500: '.length + 7_500_000);
  });

  it('is a list of the queues of RabbitMQ that is parsed once for all facts', () => {
    const deaths = `[{"reason":"rejected","queue":"q"},${list(400_000, () => '1')}]`;
    takesUpTo(300, () => {
      const [capture] = read('application/json', push(`"x-death":${JSON.stringify(deaths)}`));
      assert.deepEqual([capture?.errorReason, capture?.headers['x-death']], ['rejected', deaths]);
    });
  });
});

describe('a request of 10 MB', () => {
  const texts: readonly [name: string, type: string, body: string][] = [
    ['blank lines', 'application/x-ndjson', ' \n'.repeat(5_000_000)],
    ['escaped backslashes', 'application/json', `"${'\\\\'.repeat(5_000_000)}\\u0000"`],
    ['levels of the queues of RabbitMQ', 'application/json', push(`"x-death":"${'['.repeat(10_000_000)}"`)],
    ['escapes that jsonb cannot hold', 'application/json', `"${'\\u0000'.repeat(1_666_666)}"`],
    ['spaces in what is no JSON', 'application/json', `{${' '.repeat(10_000_000)}`],
    ['text in Latin-1', 'text/plain; charset=iso-8859-1', 'a '.repeat(5_000_000)],
    [
      'members of one name, beside the names that they get',
      report,
      `{"error":"x",${list(5000, (i) => `"a (${i + 5000})":1`)},${list(4900, (i) => `"a":${i}`)}}`,
    ],
    [
      'words in headers of another form',
      'application/vnd.dead-letter-office.report+json',
      `{"headers":{${list(40, (i) => `"a${i}":[["${'a '.repeat(125_000)}"]]`)}}}`,
    ],
  ];
  for (const [name, type, body] of texts) {
    it(`takes no longer for its ${name}`, () => {
      takesUpTo(1000, () => assert.equal(read(type, body).length, 1));
    });
  }

  it('lets other requests have their turn before most of its messages are read', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.from(`[${list(10_000, (i) => `{"id":${i},"error":"x","payload":1}`)}]`);
    const before = process.cpuUsage();
    const reading = readCapturesInTurns({ path: '/', query: new URLSearchParams(), headers, body });
    await setImmediate();
    const first = process.cpuUsage(before).user;
    await reading;
    assert.ok(first < process.cpuUsage(before).user / 4);
  });
});

describe('a request at the limits', () => {
  it('is read as any other', () => {
    assert.equal(read('application/json', `{${list(10_000, member)}}`)[0]?.payload.encoding, 'json');
    assert.equal(read(kafka, record(list(1000, header)))[0]?.transport, 'kafka-records');
    assert.equal(
      Object.keys(read('application/json', push(list(1000, (i) => `"a${i}":"1"`)))[0]?.headers ?? {}).length,
      1000,
    );
    assert.equal(read('application/json', `[${list(10_000, String)}]`).length, 10_000);
  });

  it('may have signs of JSON in its texts', () => {
    const text = JSON.stringify({ text: '{"a":1},[:,'.repeat(100_000), quoted: '\\"\\'.repeat(50_000) });
    assert.equal(findExcess(Buffer.from(text)), undefined);
    assert.equal(
      findExcess(Buffer.from(`{"a":"${'\\\\'.repeat(30_000)}",${list(10_001, member)}}`)),
      'more than 10,000 members of one object',
    );
  });

  it('is read in turns as at once', async () => {
    const body = Buffer.from(`[${list(3000, (i) => `{"id":${i}}`)}]`);
    const request = {
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      body,
    };
    assert.deepEqual(await readCapturesInTurns(request), readCaptures(request));
  });
});

/** In processor ms, once of three times: beside other processes the first may take a multiple. */
function takesUpTo(ms: number, act: () => void): void {
  const measure = () => {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  assert.ok(measure() < ms || measure() < ms || measure() < ms);
}
