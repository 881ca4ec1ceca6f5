import { isObject } from '../../json/parse-json.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { describeFailedMessage, openEnvelope } from '../failed-message.ts';
import type { DeadLetterFormat } from '../message.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A failed workflow execution of Temporal, as its command line prints it: the result of `workflow execute`, the
 * description of `workflow describe`, or the history of `workflow show`. The message is kept as it is: the input, which
 * only a history contains, is in the encoding of the worker's data converter.
 * https://github.com/temporalio/cli/blob/main/internal/temporalcli/commands.workflow_exec.go
 * https://github.com/temporalio/api/blob/master/temporal/api/failure/v1/message.proto
 */
export const readTemporal: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  if (!json || !(isObject(json.closeEvent) || Array.isArray(json.events))) return undefined;
  const events = listEvents(json);
  const closed = isObject(json.closeEvent) ? json.closeEvent : events.at(-1);
  const type =
    /^(?:EVENT_TYPE_WORKFLOW_EXECUTION_|WorkflowExecution)(FAILED|TIMED_OUT|Failed|TimedOut)$/.exec(
      toText(closed?.eventType) ?? '',
    );
  const execution = findExecution(json, events[0]);
  const runId = toText(execution.runId);
  if (!closed || !type || runId === null) return undefined;
  const attributes = open(closed.workflowExecutionFailedEventAttributes);
  const { reason, errorClass, stack } = readFailure(open(attributes.failure));
  return describeFailedMessage(message, {
    kind: 'temporal',
    identity: runId,
    failure: toText(closed.eventId),
    facts: {
      eventId: toText(execution.workflowId),
      eventType: execution.type ?? 'unknown',
      errorReason: joinReason(errorClass, reason) ?? type[1] ?? null,
      errorClass,
      errorStacktrace: stack,
      sourceTopic: execution.taskQueue,
      sourceAttempts: toCount(open(events[0]?.workflowExecutionStartedEventAttributes).attempt),
      occurredAt: execution.startedAt,
    },
  });
};

/** `workflow show` prints the history itself; `workflow execute --detailed` has it in a member. */
function listEvents(json: JsonObject): JsonObject[] {
  const events = json.events ?? open(json.history).events;
  return Array.isArray(events) ? events.filter(isObject) : [];
}

/** The result names the execution itself, a description in `workflowExecutionInfo`, a history in its first event. */
function findExecution(json: JsonObject, first: JsonObject | undefined) {
  const info = open(json.workflowExecutionInfo);
  const named = open(info.execution);
  const started = open(first?.workflowExecutionStartedEventAttributes);
  return {
    workflowId: json.workflowId ?? named.workflowId ?? started.workflowId,
    runId: json.runId ?? named.runId ?? started.originalExecutionRunId,
    type: toText(json.type) ?? toText(open(info.type).name) ?? toText(open(started.workflowType).name),
    taskQueue: toText(json.taskQueue) ?? toText(info.taskQueue) ?? toText(open(started.taskQueue).name),
    startedAt: toDate(info.startTime) ?? toDate(first?.eventTime),
  };
}

/** The innermost cause says what went wrong: those around it name the activity or the child workflow that failed. */
function readFailure(failure: JsonObject) {
  let cause = failure;
  while (isObject(cause.cause)) cause = cause.cause;
  const stack = toText(cause.stackTrace) ?? toText(failure.stackTrace);
  return {
    reason: toText(cause.message),
    errorClass: toText(open(cause.applicationFailureInfo).type),
    stack,
  };
}

function open(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
