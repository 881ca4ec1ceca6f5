import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { normalizeMessage } from '../../../shared/fingerprint/normalize-message.ts';
import { tokenKinds } from '../../../shared/fingerprint/token-kinds.ts';

const alike: Record<string, readonly [one: string, other: string, normal: string]> = {
  numbers: ['order 4711 not found', 'order 12 not found', 'order # not found'],
  ids: ['no such order ORD-4711', 'no such order A1B2C3', 'no such order #'],
  UUIDs: [
    'event 123e4567-e89b-12d3-a456-426614174000 refused',
    'event 00000000-0000-4000-8000-00000000000f refused',
    'event # refused',
  ],
  'ids of hexadecimal letters alone': ['no object deadbeef', 'no object 3f2a9c1b', 'no object #'],
  'hardware addresses': ['de:ad:be:ef:ca:fe is off', 'A0-B1-C2-D3-E4-F5 is off', '# is off'],
  'hexadecimal digits': ['at 0x7ffe01 in Order@5e91993f', 'at 0xdead in Order@0a1b2c', 'at # in Order#'],
  'quoted values': ['no user "alice"', 'no user "Bob \'b\' B."', 'no user <value>'],
  'values in single quotes': [`Key 'a-1' is taken`, `Key 'b' is taken`, 'Key <value> is taken'],
  'assigned values': [
    'Order(id=7, name=Alice) bad',
    'Order(id=8, name=Bob) bad',
    'Order(id=<value>, name=<value>) bad',
  ],
  'database keys': ['Key (email)=(a@b.de) exists', 'Key (email)=(x) exists', 'Key (email)=<value> exists'],
  times: ['expired at 2026-01-02T03:04:05.678Z', 'expired at 2025-12-31 23:59:59+01:00', 'expired at <time>'],
  'times of Java': [
    'since Mon Jan 02 10:00:00 UTC 2026 down',
    'since Tue Dec 30 01:02:03 CET 2025 down',
    'since <time> down',
  ],
  'times and dates of the United States': [
    'slot 3/1/2026 9:30:45 AM, at 9:30 AM, on March 1, 2026 is full',
    'slot 11/12/2026 12:05:00 PM, at 12:05 PM, on April 12th, 2026 is full',
    'slot # <time>, at <time>, on <time> is full',
  ],
  'the length of a list': ['orders 1, 2 and 3 are gone', 'orders 4711 are gone', 'orders # are gone'],
  'the size of a number': ['1,048,576 bytes are too many', '900 bytes are too many', '# bytes are too many'],
  'spaces in numbers': [
    'le montant 1 234 567,89 dépasse',
    'le montant 12,50 dépasse',
    'le montant # dépasse',
  ],
  'ends of ids in base64': ['cursor abc123== expired', 'cursor V1St8_R8_ expired', 'cursor # expired'],
  'e-mail addresses': [
    'no account for alice@example.com',
    'no account for Bob.B+x@mail.example.org',
    'no account for <email>',
  ],
  paths: [
    'cannot open /home/alice/a.csv: denied',
    'cannot open C:\\Users\\bob\\b.csv: denied',
    'cannot open <path>: denied',
  ],
  'what varies in a URL': [
    'GET https://u:pw@api.shop.com/v1/orders/4711?token=abc failed',
    'GET https://api.shop.com/v1/orders/x9#top failed',
    'GET https://api.shop.com/v1/orders/# failed',
  ],
  addresses: [
    'connect ECONNREFUSED 10.0.0.7:5432',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'connect ECONNREFUSED #:5432',
  ],
  JSON: ['HTTP 503: {"id": 1, "who": {"name": "Al', 'HTTP 503: {"a": [1]}', 'HTTP 503: <value>'],
  'further lines': ['Bad order\nid 7', 'Bad order\r\nBob', 'Bad order'],
  spaces: ['  a   b\tc ', 'a b c', 'a b c'],
};

const different: readonly (readonly [string, string])[] = [
  ['HTTP 503: down', 'HTTP 422: down'],
  ['Request failed with status code 404', 'Request failed with status code 500'],
  ['ORA-00001: violated', 'ORA-01017: violated'],
  ['401 from payments', '503 from payments'],
  ['carrier DHL answered 502 for shipment 1', 'carrier DHL answered 404 for shipment 1'],
  ['upstream failed: 502 Bad Gateway', 'upstream failed: 504 Gateway Timeout'],
  ['POST https://psp.example/charges 401', 'POST https://psp.example/charges 503'],
  ['payments are down (502)', 'payments are down (503)'],
  ['{"status": 404, "id": 7}', '{"status": 503, "id": 7}'],
  ['550 mailbox unavailable', '450 mailbox unavailable'],
  ['550 5.1.1 rejected', '550 5.7.1 rejected'],
  ['SQLSTATE[23505]: violated', 'SQLSTATE[40P01]: violated'],
  ['ERROR: 23505: violated', 'ERROR: 23503: violated'],
  ['rpc failed: code=14', 'rpc failed: code=5'],
  ['call failed with:\nstatus = StatusCode.UNAVAILABLE', 'call failed with:\nstatus = StatusCode.NOT_FOUND'],
  ['order.created.v1 is not supported', 'order.created.v2 is not supported'],
  ['TLSv1.1 refused', 'TLSv1.3 refused'],
  ['order 1 not found', 'customer 1 not found'],
  ['no order, no customer', 'no order'],
  ['GET https://a.com/orders/1 failed', 'GET https://a.com/payments/1 failed'],
];

/** Numbers that look like a status code and are none. */
const counts: readonly (readonly [string, string])[] = [
  ['order 404 not found', 'order 17 not found'],
  ['amount must be a positive number: 306', 'amount must be a positive number: 12'],
  ['got 120 rows', 'got 99 rows'],
  ['timed out after 500 ms', 'timed out after 1200 ms'],
  ['line 404: bad', 'line 7: bad'],
];

/** Messages as languages, servers and their people write them: each part of the rules decides one of them. */
const forms: readonly (readonly [message: string, normal: string])[] = JSON.parse(
  readFileSync(new URL('normal-forms.json', import.meta.url), 'utf8'),
);

/** Codes, versions and names of techniques are no ids. */
const isCode = new RegExp(`^order (?:${tokenKinds.code}) not found$`, 'iu');

describe('a normalized message', () => {
  for (const [what, [one, other, normal]] of Object.entries(alike)) {
    it(`is without ${what}`, () => {
      assert.deepEqual([normalizeMessage(one), normalizeMessage(other)], [normal, normal]);
    });
  }

  for (const [one, other] of different) {
    it(`distinguishes "${one.replace('\n', ' ')}" from "${other.replace('\n', ' ')}"`, () =>
      assert.notEqual(normalizeMessage(one), normalizeMessage(other)));
  }

  for (const [one, other] of counts) {
    it(`is the same for "${one}" and "${other}"`, () =>
      assert.equal(normalizeMessage(one), normalizeMessage(other)));
  }

  for (const [message, normal] of forms) {
    it(`of ${JSON.stringify(message)} is ${JSON.stringify(normal)}`, () =>
      assert.equal(normalizeMessage(message), normal));
  }

  it('has no digit that may belong to an id', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/).filter((id) => !isCode.test(`order ${id} not found`)),
        (id) => {
          assert.doesNotMatch(normalizeMessage(`order ${id} not found`), /\d/);
        },
      ),
    );
  });

  it('keeps a bounded length', () => {
    fc.assert(fc.property(fc.string({ maxLength: 10_000 }), (text) => normalizeMessage(text).length <= 400));
    assert.equal(normalizeMessage('word '.repeat(100)).length, 399);
  });
});
