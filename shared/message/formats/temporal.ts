import { defineFormat, type Format } from './format.ts';

/**
 * A workflow of Temporal, by its last event: of its result or description, of its history, or of the history
 * in its result.
 */
export function defineTemporal(closed: string, more: Partial<Format> = {}): Format {
  const failure = `${closed}/workflowExecutionFailedEventAttributes/failure`;
  const info = 'workflowExecutionInfo';
  const first = (path: string) => `events/0/${path} | history/events/0/${path}`;
  const started = (path: string) => first(`workflowExecutionStartedEventAttributes/${path}`);
  const run = `runId | ${info}/execution/runId | ${started('originalExecutionRunId')}`;
  return defineFormat({
    name: 'temporal',
    of: 'object',
    source: 'https://github.com/temporalio/api/blob/master/temporal/api/failure/v1/message.proto',
    under: 'json:/',
    when: {
      [`${closed}/eventType`]:
        /^(EVENT_TYPE_WORKFLOW_EXECUTION_(FAILED|TIMED_OUT)|WorkflowExecution(Failed|TimedOut))$/,
      [run]: 'text',
    },
    error: [
      `${failure}/cause*/applicationFailureInfo/type`,
      `${failure}/cause*/message`,
      `${failure}/cause*/stackTrace | ${failure}/stackTrace`,
    ],
    facts: {
      identity: run,
      failure: `${closed}/eventId`,
      id: `workflowId | ${info}/execution/workflowId | ${started('workflowId')}`,
      type: `type | ${info}/type/name | ${started('workflowType/name')}`,
      condition: `${closed}/eventType`,
      topic: `taskQueue | ${info}/taskQueue | ${started('taskQueue/name')}`,
      attempts: started('attempt'),
      time: `${info}/startTime | ${first('eventTime')}`,
    },
    ...more,
  });
}
