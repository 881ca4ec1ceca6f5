import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { restoreLineEndings, textOf } from '../../../functions/console/edit/edits.ts';
import { hexLines, indentJson, jsonLines } from '../../../functions/console/events/message.ts';
import type { Html } from '../../../functions/console/html.ts';
import type { EventView } from '../../../shared/events/read-event.ts';

const textIn = (markup: Html | readonly Html[]) =>
  [markup]
    .flat()
    .join('')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name: 'amp') => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name],
    );

describe('payload views', () => {
  it('the pretty view indents JSON and keeps every digit', () => {
    assert.deepEqual(textIn(jsonLines('{"a":12345678901234567890,"b":[1.50,"x:y"],"c":{}}')).split('\n'), [
      '{',
      '  "a": 12345678901234567890,',
      '  "b": [',
      '    1.50,',
      '    "x:y"',
      '  ],',
      '  "c": {}',
      '}',
      '',
    ]);
    fc.assert(
      fc.property(fc.json(), (json) =>
        assert.deepEqual(JSON.parse(textIn(jsonLines(json))), JSON.parse(json)),
      ),
    );
  });

  it('JSON of a megabyte on one line is indented in linear time', () => {
    const start = process.cpuUsage();
    const lines = indentJson(`[${'1,'.repeat(500_000)}1]`).split('\n');
    assert.deepEqual([lines.length, process.cpuUsage(start).user < 5_000_000], [500_003, true]);
  });

  it('the pretty view shows invalid and truncated JSON', () => {
    for (const text of ['{"a": [1, 2', '"open', '}{', 'x'.repeat(1000), `${'['.repeat(20_000)}`]) {
      assert.ok(
        textIn(jsonLines(text)).replaceAll(/\s/g, '').startsWith(text.replaceAll(/\s/g, '').slice(0, 500)),
      );
    }
  });

  it('the hex view shows every byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const codes = hexLines(Buffer.from(bytes)).flatMap(
          (line) =>
            textIn(line)
              .slice(8, 57)
              .match(/[\da-f]{2}/g) ?? [],
        );
        assert.deepEqual(Buffer.from(codes.join(''), 'hex'), Buffer.from(bytes));
      }),
    );
  });
});

describe('payload form', () => {
  const event = (body: Buffer, payloadEncoding = 'text') => ({ body, payloadEncoding }) as EventView;
  /** Submits a text area as a browser does. */
  const send = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\r\n');

  it('an unedited form returns the exact bytes of the payload', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const { text, isBase64 } = textOf(event(Buffer.from(bytes)));
          const restored = restoreLineEndings(send(text), text);
          assert.deepEqual(Buffer.from(restored, isBase64 ? 'base64' : 'utf8'), Buffer.from(bytes));
        },
      ),
    );
  });

  it('an edited form keeps the line endings of the payload', () => {
    for (const text of ['a\nb\n', 'a\r\nb\r\n'])
      assert.equal(restoreLineEndings(send(textOf(event(Buffer.from(text))).text), text), text);
  });
});
