import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatMetrics } from '../../../shared/metrics/format-metrics.ts';
import type { Measurement } from '../../../shared/metrics/measure.ts';
import { readMetrics } from '../../support/read-metrics.ts';

const measured = (eventType: string, target = 'http://shop/'): Measurement => ({
  types: [
    {
      eventType,
      pending: 1,
      processing: 0,
      succeeded: 0,
      failedPermanently: 0,
      discarded: 0,
      captures: 1,
      recurrences: 0,
      retryFailures: 0,
      deliveries: 0,
      permanentFailures: 0,
      discards: 0,
      conflicts: 0,
      ageSeconds: 1.5,
    },
  ],
  hours: {
    captured1h: 1,
    succeeded1h: 0,
    captured24h: 1,
    recurrences24h: 0,
    delivered24h: 0,
    failedPermanently24h: 0,
    discarded24h: 0,
  },
  leases: { expired: 0, stuck: 0 },
  runs: { sinceLastTick: null, lastTickDuration: null, pausedEvents: 0, runs: 0, longest: 0, stale: 0 },
  breakers: [{ target, state: 'OPEN' }],
  groups: [],
  server: { sizeBytes: 1, connections: 1, maxConnections: 100, oldestTransactionSeconds: null },
  unrouted: 0,
  held: 0,
  retryLag: 0,
  failing: { causes: 0, events: 0, seconds: 0 },
});

describe('the text format of metrics', () => {
  it('has HELP and TYPE for each metric', () => {
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

  it('omits unknown values', () => {
    const metrics = readMetrics(formatMetrics(measured('a')));

    assert.equal(metrics.has('dead_letter_last_tick_age_seconds'), false);
    assert.equal(metrics.has('dead_letter_database_oldest_transaction_seconds'), false);
    assert.equal(metrics.get('dead_letter_database_connections'), 1);
  });

  it('escapes any name of an event type or target', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (type, target) => {
        const metrics = readMetrics(formatMetrics(measured(type, target)));
        assert.equal([...metrics.keys()].filter((name) => name.startsWith('dead_letter_total')).length, 1);
      }),
    );
  });

  it('limits the length of labels', () => {
    const [name = ''] = readMetrics(formatMetrics(measured('x'.repeat(5000)))).keys();

    assert.ok(name.length < 300);
  });
});
