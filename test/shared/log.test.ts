import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { log } from '../../shared/log.ts';
import { logGivenUp } from '../../shared/log-given-up.ts';
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
    const [line] = await readLog(() => log('INFO', 'done', { act: 'tick', runId: '7' }));

    assert.deepEqual(line?.['logging.googleapis.com/labels'], { act: 'tick' });
    assert.deepEqual(line?.['logging.googleapis.com/operation'], {
      id: 'run-7',
      producer: 'dead-letter-office',
    });
  });

  it('stands beside the trace of its event, where the project is known', async () => {
    const write = () => log('INFO', 'captured 1', { act: 'capture', traceId });
    const [alone] = await readLog(write);
    assert.equal(alone?.['logging.googleapis.com/trace'], traceId);
    process.env.GOOGLE_CLOUD_PROJECT = 'acme';
    const [within] = await readLog(write);

    assert.equal(within?.['logging.googleapis.com/trace'], `projects/acme/traces/${traceId}`);
  });
});

describe('an event that is given up', () => {
  const givenUp = {
    event: aLeasedEvent({
      id: '17',
      trace_id: traceId,
      payload_text: 's3cret',
      headers: { token: 's3cret' },
    }),
    settlement: aSettlement('17', 'token', {
      status: 'FAILED_PERMANENTLY',
      outcome: 'permanent',
      response_status: 422,
      response_body: 's3cret',
      error: 'HTTP 422: s3cret',
    }),
    isSettled: true,
  };

  it('is told with its trace, its target and the status, and nothing of what it holds or was answered', async () => {
    const [line] = await readLog(() => logGivenUp('7', [givenUp]));

    assert.equal(line?.message, 'gave up event 17, order.created: permanent failure');
    assert.deepEqual(
      [line?.severity, line?.act, line?.runId, line?.eventId, line?.responseStatus, line?.traceId],
      ['WARNING', 'give up', '7', '17', 422, traceId],
    );
    assert.doesNotMatch(JSON.stringify(line), /s3cret/);
  });

  it('is told only where its outcome was recorded, and so often at most', async () => {
    const delivered = { ...givenUp, settlement: aSettlement('18', 'token') };
    const late = { ...givenUp, isSettled: false };
    const many = Array.from({ length: 100 }, () => givenUp);

    assert.equal((await readLog(() => logGivenUp('7', [delivered, late, ...many]))).length, 20);
  });
});
