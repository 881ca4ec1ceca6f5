import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { logPermanentFailures } from '../../shared/delivery/settle.ts';
import { log } from '../../shared/log.ts';
import { aSettlement } from '../support/claims.ts';
import { aLeasedEvent } from '../support/leased-event.ts';
import { readLog } from '../support/log-lines.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('a line of the log', () => {
  afterEach(() => {
    delete process.env.GOOGLE_CLOUD_PROJECT;
  });

  it('has a severity, a sentence and its fields', async () => {
    const [line] = await readLog(() => log('INFO', 'captured 2', { captured: 2 }));

    assert.deepEqual(line, { severity: 'INFO', message: 'captured 2', captured: 2 });
  });

  it('is found by what was done and by the run that did it', async () => {
    const [line] = await readLog(() => log('INFO', 'done', { action: 'tick', runId: '7' }));

    assert.deepEqual(line?.['logging.googleapis.com/labels'], { action: 'tick' });
    assert.deepEqual(line?.['logging.googleapis.com/operation'], {
      id: 'run-7',
      producer: 'dead-letter-office',
    });
  });

  it('stands beside the trace of its event, where the project is known', async () => {
    const write = () => log('INFO', 'captured 1', { action: 'capture', traceId });
    const [alone] = await readLog(write);
    assert.equal(alone?.['logging.googleapis.com/trace'], traceId);
    process.env.GOOGLE_CLOUD_PROJECT = 'acme';
    const [within] = await readLog(write);

    assert.equal(within?.['logging.googleapis.com/trace'], `projects/acme/traces/${traceId}`);
  });
});

describe('an event that failed permanently', () => {
  const permanentFailures = {
    event: aLeasedEvent({
      id: '17',
      traceId: traceId,
      body: Buffer.from('s3cret'),
      headers: { token: 's3cret' },
    }),
    settlement: aSettlement('17', 'token', {
      status: 'FAILED_PERMANENTLY',
      outcome: 'permanent',
      responseStatus: 422,
      responseBody: 's3cret',
      answer: 'HTTP 422: s3cret',
    }),
    isSettled: true,
  };

  it('is logged with its trace, target and status, without its content or the answer of the target', async () => {
    const [line] = await readLog(() => logPermanentFailures('7', [permanentFailures]));

    assert.equal(line?.message, 'event 17, order.created, failed permanently: permanent failure');
    assert.deepEqual(
      [line?.severity, line?.action, line?.runId, line?.eventId, line?.responseStatus, line?.traceId],
      ['WARNING', 'fail permanently', '7', '17', 422, traceId],
    );
    assert.doesNotMatch(JSON.stringify(line), /s3cret/);
  });

  it('is logged only if its outcome was recorded, in up to 20 lines per batch', async () => {
    const delivered = { ...permanentFailures, settlement: aSettlement('18', 'token') };
    const late = { ...permanentFailures, isSettled: false };
    const many = Array.from({ length: 100 }, () => permanentFailures);

    assert.equal((await readLog(() => logPermanentFailures('7', [delivered, late, ...many]))).length, 20);
  });
});
