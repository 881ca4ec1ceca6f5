import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryHeaders } from '../../../../shared/delivery/targets/message-headers.ts';

describe('the headers of a redelivery', () => {
  const redelivery = `7.${'a'.repeat(32)}`;

  it('name the event with its token, and the attempt', () => {
    assert.deepEqual(deliveryHeaders({ redelivery, damaged: null }, 3), [
      ['dlo-event-id', redelivery],
      ['dlo-attempt', '3'],
    ]);
  });

  it('name what a bridge damaged, in characters that every target accepts', () => {
    const damaged = [
      'key',
      'headers.ten\ufffdant\r\nx',
      ...Array.from({ length: 500 }, (_, i) => `headers.${i}`),
    ];
    const [, , [name, value] = []] = deliveryHeaders({ redelivery, damaged }, 1);

    assert.equal(name, 'dlo-damaged');
    assert.match(value ?? '', /^key, headers\.ten\?ant\?\?x, headers\.0/);
    assert.ok((value ?? '').length <= 1000);
  });
});
