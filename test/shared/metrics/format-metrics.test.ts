import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatMetrics } from '../../../shared/metrics/format-metrics.ts';
import type { Sample } from '../../../shared/metrics/measure.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { readMetrics } from '../../support/read-metrics.ts';

const samples = (eventType: string, target = 'http://shop/'): readonly Sample[] => [
  { name: 'total', labels: { event_type: eventType }, value: 1 },
  { name: 'events', labels: { event_type: eventType, status: 'PENDING' }, value: 1 },
  { name: 'age_seconds', labels: { event_type: eventType }, value: 1.5 },
  { name: 'breaker_state', labels: { target }, value: 2 },
  { name: 'database_connections', labels: {}, value: 1 },
];

describe('the text format of metrics', () => {
  it('has HELP and TYPE for each metric', () => {
    const text = formatMetrics(samples('order.created'));

    assert.ok(
      text.startsWith(
        '# HELP dead_letter_total events captured\n# TYPE dead_letter_total counter\n' +
          'dead_letter_total{event_type="order.created"} 1\n',
      ),
    );
    assert.match(text, /^dead_letter_age_seconds\{event_type="order.created"\} 1.5$/m);
    assert.match(text, /^dead_letter_events\{event_type="order.created",status="PENDING"\} 1$/m);
  });

  it('omits unknown values', () => {
    const metrics = readMetrics(formatMetrics(samples('a')));

    assert.equal(metrics.has('dead_letter_last_tick_age_seconds'), false);
    assert.equal(metrics.get('dead_letter_database_connections'), 1);
  });

  it('escapes any name of an event type or target', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }), (type, target) => {
        const metrics = readMetrics(formatMetrics(samples(type, target)));
        assert.equal([...metrics.keys()].filter((name) => name.startsWith('dead_letter_total')).length, 1);
      }),
    );
  });

  it('limits the length of labels', () => {
    const [name = ''] = readMetrics(formatMetrics(samples('x'.repeat(5000)))).keys();

    assert.ok(name.length < 300);
  });

  it('tells apart two types that begin with the same 200 characters', () => {
    const [one, other] = ['a', 'b'].map((end) => samples('x'.repeat(200) + end));
    const metrics = readMetrics(
      formatMetrics([...(one ?? []), ...(other ?? [])].filter(({ labels }) => 'event_type' in labels)),
    );

    assert.equal([...metrics.keys()].filter((name) => name.startsWith('dead_letter_total')).length, 2);
  });
});
