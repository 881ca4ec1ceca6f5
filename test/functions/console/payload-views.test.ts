import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { restoreLineEnds, textOf } from '../../../functions/console/edit/message-text.ts';
import { hexLines } from '../../../functions/console/events/hex.ts';
import { jsonLines } from '../../../functions/console/events/json-lines.ts';
import type { EventView } from '../../../functions/console/events/read-event.ts';
import { stackTrace } from '../../../functions/console/events/stack-trace.ts';
import type { Html } from '../../../functions/console/html.ts';

const textIn = (markup: Html | readonly Html[]) =>
  [markup]
    .flat()
    .join('')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name: 'amp') => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name],
    );

describe('a payload on a page', () => {
  it('says the same as JSON, digit for digit, in more lines', () => {
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

  it('shows what is no JSON, or only its beginning, as far as it goes', () => {
    for (const text of ['{"a": [1, 2', '"open', '}{', 'x'.repeat(1000), `${'['.repeat(20_000)}`]) {
      assert.ok(
        textIn(jsonLines(text)).replaceAll(/\s/g, '').startsWith(text.replaceAll(/\s/g, '').slice(0, 500)),
      );
    }
  });

  it('shows every byte by its code', () => {
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

describe('a stack trace', () => {
  it('lets the frames of the application stand out', () => {
    const trace = [
      'Error: x',
      '    at charge (/app/src/charge.js:1:2)',
      '    at process (node:internal/process:1:2)',
      '    at call (/app/node_modules/pg/lib/client.js:1:2)',
      '\tat org.springframework.kafka.Listener.call(Listener.java:1)',
      '\tat com.shop.Orders.handle(Orders.java:7)',
      'Caused by: java.io.IOException: Broken pipe',
    ];
    const frames = [...String(stackTrace(trace.join('\n'))).matchAll(/class="frame( \w+)?"/g)].map(
      ([, kind]) => kind?.trim(),
    );

    assert.deepEqual(frames, ['turn', undefined, 'dim', 'dim', 'dim', undefined, 'turn']);
  });
});

describe('a payload in a form', () => {
  const event = (body: Buffer, payload_encoding = 'text') => ({ body, payload_encoding }) as EventView;
  /** What a browser does to a text area. */
  const send = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\r\n');

  it('comes back as it was where nobody changed it, whatever bytes it has', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const { text, isBase64 } = textOf(event(Buffer.from(bytes)));
          const restored = restoreLineEnds(send(text), text);
          assert.deepEqual(Buffer.from(restored, isBase64 ? 'base64' : 'utf8'), Buffer.from(bytes));
        },
      ),
    );
  });

  it('keeps the ends of its lines', () => {
    for (const text of ['a\nb\n', 'a\r\nb\r\n'])
      assert.equal(restoreLineEnds(send(textOf(event(Buffer.from(text))).text), text), text);
  });
});
