import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { aPush, type Sent, useCases } from '../../support/cases.ts';

describe('a text in another charset', () => {
  const cases = useCases();
  const text = 'Bestellung 4711: 42,50 €, größer\r\n';
  const latin = Buffer.from(text.replace('€', '\u0080'), 'latin1');
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const windows = 'text/plain; charset=windows-1252';
  const zipped = { 'content-type': 'text/csv', 'content-encoding': 'gzip' };
  const report = {
    eventType: 'a',
    error: 'e',
    payloadBase64: latin.toString('base64'),
    contentType: windows,
  };

  for (const [name, bytes, sent] of [
    ['in a request', latin, { headers: { 'content-type': windows }, body: latin }],
    ['in a push', latin, { body: aPush(latin, { 'content-type': windows }) }],
    ['in a report', latin, { body: report }],
    ['in UTF-16 with its mark', utf16, { headers: { 'content-type': 'text/csv' }, body: utf16 }],
    [
      'in UTF-16 as it is declared',
      utf16.subarray(2),
      { headers: { 'content-type': 'application/csv; charset=utf-16' }, body: utf16.subarray(2) },
    ],
    ['compressed in a push', gzipSync(text), { body: aPush(gzipSync(text), zipped) }],
  ] as const satisfies readonly (readonly [string, Buffer, Sent])[]) {
    it(`${name} is shown as the text that it is, and is sent as it came`, async () => {
      const [first, again] = await cases.answers(sent, sent);
      const [row] = await cases.rows();
      const [delivered] = await cases.redeliver([]);
      assert.deepEqual([again?.id, again?.isNew], [first?.id, false]);
      assert.deepEqual([row?.payload_encoding, row?.payload], ['text', text]);
      assert.deepEqual(delivered?.body, bytes);
    });
  }

  it('is never the UTF-8 that its bytes would be, too', async () => {
    const [row] = await cases.rows({ headers: { 'content-type': windows }, body: Buffer.from('größer') });
    assert.equal(row?.payload, 'grÃ¶ÃŸer');
  });

  it('that contains U+0000, or bytes that its charset has not, is shown as bytes', async () => {
    const rows = await cases.rows(
      { headers: { 'content-type': windows }, body: Buffer.from([0x41, 0, 0xe4]) },
      { headers: { 'content-type': 'text/plain; charset=shift_jis' }, body: Buffer.from([0x41, 0xff]) },
      { headers: { 'content-type': 'application/octet-stream' }, body: utf16 },
    );
    assert.deepEqual(
      rows.map(({ payload_encoding }) => payload_encoding),
      ['base64', 'base64', 'base64'],
    );
  });
});
