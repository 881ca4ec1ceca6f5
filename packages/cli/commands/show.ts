import { isUtf8 } from 'node:buffer';
import { Help } from 'commander';
import type * as v from 'valibot';
import { countOf } from '../../../shared/count-of.ts';
import type { EventSchema } from '../../../shared/events/event-columns.ts';
import type { AttemptSchema } from '../../../shared/events/list-events.ts';
import { sliceMembers } from '../../../shared/json/slice-json.ts';
import type { WhyNotNow } from '../../../shared/schedule/why-not-now.ts';
import type { Json } from '../api/answers.ts';
import type { Command } from '../command.ts';
import { age, duration, indentJson, nameStatus } from '../terminal/format.ts';
import { printTable, toLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeReason } from './events.ts';

type Event = Json<v.InferOutput<typeof EventSchema>>;
type Attempt = Json<v.InferOutput<typeof AttemptSchema>>;
type Shown = {
  readonly event: Event;
  readonly whyNotNow: Json<WhyNotNow>;
  readonly attempts: { readonly items: readonly Attempt[] };
};

const maxStackLines = 12;
/** Of the lines of a fact after its first. */
const indent = ' '.repeat(12);

export const showCommand: Command = {
  name: 'show',
  operation: 'showEvent',
  arguments: [{ name: '<id>', field: 'id' }],
  examples: ['dlo show 42', 'dlo show 42 | jq -r .event.bodyBase64 | base64 -d'],
  run: async ({ api, terminal }, { values }) => {
    const json = await api.read('showEvent', values);
    // As it came: parsing and printing would round large numbers.
    if (!terminal.isText) terminal.printJsonText(json.trimEnd());
    else printEvent(terminal, JSON.parse(json), readPayload(json));
    return undefined;
  },
};

/** The payload of an answer, unparsed. */
function readPayload(json: string): string {
  const { event } = Object.fromEntries(sliceMembers(Buffer.from(json)));
  return event ? String(sliceMembers(event).get('payload')) : '';
}

function printEvent(terminal: Terminal, { event, whyNotNow, attempts }: Shown, payload: string): void {
  const { print } = terminal;
  print(['bold', toLine(event.eventType)], `  ${event.id}  ${nameStatus(event.status)}`);
  for (const [name, text] of listFacts(event, whyNotNow)) {
    const lines = new Help().boxWrap(text, terminal.width - indent.length).replaceAll('\n', `\n${indent}`);
    print('  ', ['dim', name.padEnd(9)], ` ${lines}`);
  }
  if (attempts.items.length > 0) {
    print(['bold', '\nDeliveries']);
    printTable(terminal, attemptColumns, attempts.items);
  }
  const headers = Object.entries(event.headers ?? {});
  if (headers.length > 0) {
    print(['bold', '\nHeaders']);
    for (const [name, value] of headers) print(`${toLine(name)}: ${toLine(toText(value))}`);
  }
  print(['bold', '\nPayload'], `  ${countOf(event.bodyBytes, 'byte')}`);
  print(describePayload(event, payload));
  const stack = event.errorStacktrace?.split('\n') ?? [];
  if (stack.length === 0) return;
  print(['bold', '\nStack trace']);
  print(stack.slice(0, maxStackLines).join('\n'));
  if (stack.length > maxStackLines) print(`... ${countOf(stack.length - maxStackLines, 'more line')}`);
}

function listFacts(event: Event, whyNotNow: Shown['whyNotNow']): [name: string, text: string][] {
  const now = new Date();
  const { errorReason, answer, failureCount, fingerprint } = event;
  const facts: [string, string | null][] = [
    ['reason', describeReason(event)],
    ['answer', answer === errorReason ? null : answer],
    ['failed', `${age(event.failedAt, now)} ago, ${countOf(failureCount, 'time')}`],
    ['captured', `${age(event.capturedAt, now)} ago`],
    ['retries', String(event.retryCount)],
    ['waits', whyNotNow?.says ?? null],
    ['behind', whyNotNow?.blockedBy ? `event ${whyNotNow.blockedBy}` : null],
    ['in run', whyNotNow?.runId ?? null],
    ['goes on', whyNotNow?.until ? describeUntil(Date.parse(whyNotNow.until) - now.getTime()) : null],
    ['edited', describeEdit(event)],
    ['source', event.sourceKind],
    ['topic', event.sourceTopic ?? event.sourceSubscription],
    ['consumer', event.consumerGroup],
    ['key', event.key],
    ['event id', event.eventId],
    ['error', fingerprint],
  ];
  return facts.flatMap(([name, text]) => (text === null ? [] : [[name, toLine(text)]]));
}

function describeUntil(ms: number): string {
  return ms > 0 ? `in ${duration(ms / 1000)}` : 'with the next tick';
}

function describeEdit({ replacedBy, editedFrom }: Event): string | null {
  if (replacedBy !== null) return `replaced by event ${replacedBy}`;
  return editedFrom === null ? null : `replaces event ${editedFrom}`;
}

const attemptColumns = [
  { title: '#', value: ({ number }: Attempt) => String(number), align: 'right' },
  { title: 'WHEN', value: ({ startedAt }: Attempt) => age(startedAt, new Date()), align: 'right' },
  { title: 'OUTCOME', value: ({ outcome }: Attempt) => outcome },
  { title: 'TOOK', value: ({ durationMs }: Attempt) => `${durationMs} ms`, align: 'right' },
  { title: 'ANSWER', value: ({ error, responseBody }: Attempt) => error ?? responseBody ?? '', minWidth: 20 },
] as const;

function describePayload(event: Event, printed: string): string {
  const { payload, payloadEncoding, bodyBase64, bodyBytes } = event;
  if (payloadEncoding === 'none' || bodyBytes === 0) return '(empty)';
  if (bodyBase64 === null) return '(too large to be shown)';
  if (payloadEncoding === 'base64') return bodyBase64;
  const body = Buffer.from(bodyBase64, 'base64');
  // Only the payload has the values beside those that are masked, and JSON of another charset or encoding.
  const isRead = bodyBase64 !== '(hidden)' && isUtf8(body) && !body.includes(0);
  if (!isRead) return typeof payload === 'string' ? payload : indentJson(printed);
  return payloadEncoding === 'json' ? indentJson(body.toString()) : body.toString();
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
