import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { parseJson } from '../../shared/json/parse-json.ts';
import { anyCharacter } from './any-character.ts';
import type { Fixture } from './envelopes.ts';

/** A request, and the bytes of its one event for shapes that define them. */
export type AnyRequest = {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly expectedBody?: Buffer;
};

const folder = path.resolve(import.meta.dirname, '../fixtures/envelopes');
const fixtures = readdirSync(folder).map(
  (file): Fixture => JSON.parse(readFileSync(path.join(folder, file), 'utf8')),
);

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: anyCharacter, maxLength: 100 }).map((string) => Buffer.from(string));
const content = fc.oneof(
  bytes,
  text,
  fc.json().map((json) => Buffer.from(json)),
);

const name = fc
  .stringMatching(/^[a-z][a-z0-9-]{0,20}$/)
  .filter(
    (each) =>
      !/^(host|te|connection|upgrade|expect|trailer)$|^(content-length|transfer-encoding|keep-alive|proxy-)/.test(
        each,
      ),
  );
const value = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const knownHeader = fc.constantFrom(
  'content-type',
  'ce-id',
  'ce-type',
  'ce-source',
  'ce-specversion',
  'traceparent',
  'x-goog-pubsub-message-id',
  'x-cloudtasks-taskname',
  'dlo-event-id',
  'content-encoding',
);
const headers = fc.array(fc.tuple(fc.oneof(name, knownHeader), value), { maxLength: 8 });

/** Without bias to small values: two messages with equal ids would be one event. */
const uniqueId = fc.noBias(fc.uuid());

/** Any bytes and headers. Capture does not split a body that is not JSON. */
const random = fc
  .record({ headers, body: fc.oneof(bytes, text) })
  .map((request) => ({ ...request, expectedBody: request.body }));
const json = fc.record({ headers, body: fc.json().map((each) => Buffer.from(each)) });

/** A Pub/Sub push of any bytes. */
const wrapped = fc
  .tuple(content, uniqueId, fc.dictionary(fc.string(), fc.string()))
  .map(([expectedBody, id, attributes]) => ({
    headers: [['content-type', 'application/json']] as const,
    body: Buffer.from(
      JSON.stringify({
        message: { messageId: id, data: expectedBody.toString('base64'), attributes },
        subscription: 'projects/p/subscriptions/s',
      }),
    ),
    expectedBody,
  }));
const reported = fc.tuple(content, uniqueId, fc.jsonValue()).map(([expectedBody, eventId, metadata]) => ({
  headers: [['content-type', 'application/json']] as const,
  body: Buffer.from(
    JSON.stringify({ error: 'timeout', eventId, payloadBase64: expectedBody.toString('base64'), metadata }),
  ),
  expectedBody,
}));

/** A fixture with some of its bytes changed, removed or inserted. */
const mutated = fc
  .tuple(
    fc.constantFrom(...fixtures),
    fc.array(fc.tuple(fc.nat(5000), fc.uint8Array({ maxLength: 3 })), { maxLength: 3 }),
  )
  .map(([{ http }, changes]) => {
    let body: Buffer = Buffer.from(
      http.body_encoding === 'json' ? JSON.stringify(http.body) : String(http.body),
    );
    for (const [at, put] of changes) {
      const from = at % (body.length + 1);
      body = Buffer.concat([body.subarray(0, from), put, body.subarray(from + 1)]);
    }
    return { headers: Object.entries(http.headers), body };
  });

const parsed = fixtures.flatMap(({ http }) => {
  const json = http.body_encoding === 'json' ? http.body : parseJson(String(http.body));
  return json === undefined ? [] : [{ json, headers: Object.entries(http.headers) }];
});
/** Of characters that PostgreSQL cannot compress: no index can hold it. */
const long = Array.from({ length: 4000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000)));
const extreme = fc.constantFrom(
  ...[2 ** 31 - 1, String(2 ** 31 - 1), 5e-324, -1, '\0', '\ud800', long.join('')],
  ...['9999-12-31T23:59:59-12:00', '0001-01-01T00:00:00+14:00', 'infinity'],
);

/** A fixture with one of its values replaced by one that few columns can hold. */
const replaced = fc.tuple(fc.constantFrom(...parsed), fc.nat(100), extreme).map(([fixture, at, put]) => {
  let left = at;
  const replace = (_: string, each: unknown) => (Object(each) === each || left-- !== 0 ? each : put);
  return { headers: fixture.headers, body: Buffer.from(JSON.stringify(fixture.json, replace)) };
});

export const anyRequest: fc.Arbitrary<AnyRequest> = fc.oneof(
  random,
  json,
  wrapped,
  reported,
  mutated,
  replaced,
);
