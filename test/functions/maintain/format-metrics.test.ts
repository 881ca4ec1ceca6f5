import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatMetrics } from '../../../functions/maintain/metrics/format-metrics.ts';
import type { Measurement } from '../../../functions/maintain/metrics/measure.ts';
import { readMetrics } from '../../support/read-metrics.ts';

const measured = (event_type: string, target = 'http://shop/'): Measurement => ({
  types: [
    {
      event_type,
      pending: 1,
      processing: 0,
      succeeded: 0,
      failed_permanently: 0,
      discarded: 0,
      captures: 1,
      returns: 0,
      retry_failures: 0,
      deliveries: 0,
      permanent_failures: 0,
      discards: 0,
      age_seconds: 1.5,
    },
  ],
  hours: {
    captured_1h: 1,
    succeeded_1h: 0,
    captured_24h: 1,
    returned_24h: 0,
    delivered_24h: 0,
    failed_permanently_24h: 0,
    discarded_24h: 0,
  },
  leases: { expired: 0, stuck: 0 },
  runs: { since_last_tick: null, last_tick_duration: null, runs: 0, longest: 0, stale: 0 },
  breakers: [{ target, state: 'OPEN' }],
  groups: [],
  server: { connections: 1, max_connections: 100, oldest_transaction_seconds: null },
  unrouted: 0,
  retryLag: 0,
});

describe('metrics in text form', () => {
  it('say what each of them is', () => {
    const text = formatMetrics(measured('order.created'));

    assert.ok(
      text.startsWith(
        '# HELP dead_letter_total Events captured.\n# TYPE dead_letter_total counter\n' +
          'dead_letter_total{event_type="order.created"} 1\n',
      ),
    );
    assert.match(text, /^dead_letter_age_seconds\{event_type="order.created"\} 1.5$/m);
    assert.match(text, /^dead_letter_events\{event_type="order.created",status="PENDING"\} 1$/m);
  });

  it('leave out what cannot be known', () => {
    const metrics = readMetrics(formatMetrics(measured('a')));

    assert.equal(metrics.has('dead_letter_last_tick_age_seconds'), false);
    assert.equal(metrics.has('dead_letter_database_oldest_transaction_seconds'), false);
    assert.equal(metrics.get('dead_letter_database_connections'), 1);
  });

  it('can be read whatever an event type or a target is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (type, target) => {
        const metrics = readMetrics(formatMetrics(measured(type, target)));
        assert.equal([...metrics.keys()].filter((name) => name.startsWith('dead_letter_total')).length, 1);
      }),
    );
  });

  it('keep labels short', () => {
    const [name = ''] = readMetrics(formatMetrics(measured('x'.repeat(5000)))).keys();

    assert.ok(name.length < 300);
  });
});
