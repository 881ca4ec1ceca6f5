import { isUtf8 } from 'node:buffer';
import { unescape as unescapePercent } from 'node:querystring';
import type * as v from 'valibot';
import type { Database } from '../../../shared/database/database.ts';
import { type CaptureSchema, listCaptures } from '../../../shared/events/list-captures.ts';
import { hidden } from '../../../shared/events/masking/mask.ts';
import { maskShownCapture } from '../../../shared/events/masking/mask-shown-event.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { notReported } from '../../../shared/fingerprint/fingerprint.ts';
import { printJson } from '../../../shared/json/parse-json.ts';
import { failureName } from '../components/error-name.ts';
import { keyValues } from '../components/facts.ts';
import { formatBytes, formatUtc, moment } from '../components/format.ts';
import { collapsible, section } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';
import { type Entry, listEntries, showFirstCapture } from './timeline.ts';

export type CaptureView = v.InferOutput<typeof CaptureSchema>;

/** Limit of the captures of a page together: facts and bytes. */
const maxBytes = 131_072;

/** Failures that a page shows besides the first; those between are folded. */
const maxFailures = 3;

/** Reads the captures of an event after the first, with the values hidden at the paths of a mask. */
export async function readCaptures(
  db: Database,
  eventId: string,
  mask: readonly string[],
): Promise<CaptureView[]> {
  const rows = await listCaptures(db, eventId, maxBytes);
  return rows.map((json) => {
    const { capturedAt, failedAt, ...capture } = JSON.parse(maskShownCapture(json, mask));
    return { ...capture, capturedAt: new Date(capturedAt), failedAt: failedAt && new Date(failedAt) };
  });
}

/** The captures of an event by failure, each with what it said otherwise than the event. */
export function capturesSection(event: EventView, captures: readonly CaptureView[]): Html | false {
  if (captures.length === 0) return false;
  const told = Map.groupBy(captures, ({ failure }) => failure);
  if (!told.has(1)) told.set(1, []);
  const [first, ...later] = [...told].toSorted(([a], [b]) => a - b);
  const folded = later.slice(0, Math.max(0, later.length - maxFailures));
  const show = (failures: typeof later) => html`${failures.map((failure) => showFailure(event, failure))}`;
  const middle = folded.length > 0 && collapsible(`${folded.length} more failures`, show(folded));
  return section('Captures', html`${first && show([first])}${middle}${show(later.slice(folded.length))}`);
}

function showFailure(event: EventView, [failure, captures]: readonly [number, readonly CaptureView[]]): Html {
  const teller = captures.find(({ isFirst }) => isFirst);
  const entries = captures.map((capture) => showCapture(event, capture));
  const all = failure === 1 ? [showFirstCapture(event), ...entries] : entries;
  const delivery = teller && html` <span class="muted">${nameDelivery(teller)}</span>`;
  return html`<h3>Failure ${failure}${delivery}</h3>${listEntries(all)}`;
}

/** Which delivery failed, as far as its first capture knew. SQL may store a position that no code escaped. */
function nameDelivery({ attempt, publication }: CaptureView): Content {
  if (attempt !== null) return `of delivery ${attempt}`;
  const [ms = '', position = ''] = publication?.split('@') ?? [];
  if (ms !== '') return `of the publication of ${formatUtc(new Date(Number(ms)))}`;
  return position !== '' && html`of the publication at ${unescapePercent(position)}`;
}

const kinds = { report: 'Report', message: 'Message', original: 'Original' } as const;

function showCapture(event: EventView, capture: CaptureView): Entry {
  const { kind, consumer, isFirst, capturedAt } = capture;
  const by = consumer !== null && ` of ${consumer.split('/').at(-1)}`;
  const note = kind === 'original' ? ', replaced at this time' : !isFirst && ', the same failure';
  return {
    at: capturedAt,
    icon: isFirst ? 'recurred' : 'open',
    tone: isFirst ? 'bad' : 'waiting',
    text: html`<strong>${kinds[kind]}</strong>${by}${note}`,
    more: html`${differences(event, capture)}${otherBytes(event, capture)}`,
  };
}

/** What a capture says otherwise than the event: the reason, and folded all else. */
function differences(event: EventView, { facts, failedAt }: CaptureView): Content {
  if (facts === null) return html`<p class="hint">Too large for a page; the API has it.</p>`;
  const { error_reason: said, error_class, headers, ...others } = facts as Record<string, unknown>;
  const errorReason = typeof said === 'string' ? said : notReported;
  const errorClass = typeof error_class === 'string' ? error_class : null;
  const isOther =
    (errorReason !== notReported && errorReason !== event.errorReason) ||
    (errorClass !== null && errorClass !== event.errorClass);
  const told = [
    ...Object.entries(others).map(
      ([name, value]) => [name.replaceAll('_', ' '), value, readColumn(event, name)] as const,
    ),
    ...Object.entries(headers ?? {}).map(
      ([name, value]) => [`header ${name}`, value, event.headers[name]] as const,
    ),
  ].filter(([, value, known]) => !isEqual(known, value));
  const rows = [...(failedAt === null ? [] : [['failed at', failedAt] as const]), ...told].map(
    ([name, value]) => [name, showValue(value)] as const,
  );
  return html`${isOther && html`<p class="reason wrap">${failureName({ errorClass, errorReason })}</p>`}
    ${rows.length > 0 && collapsible(rows.map(([name]) => name).join(', '), keyValues(rows))}`;
}

/** A column on the page of an event. */
function readColumn(event: EventView, column: string): unknown {
  const name = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (event as Readonly<Record<string, unknown>>)[name];
}

function isEqual(known: unknown, said: unknown): boolean {
  if (known instanceof Date) return typeof said === 'string' && known.getTime() === Date.parse(said);
  return printJson(known) === printJson(said);
}

function showValue(value: unknown): Html {
  if (value instanceof Date) return moment(value);
  return html`<code>${typeof value === 'string' ? value : printJson(value)}</code>`;
}

function otherBytes({ body }: EventView, { bodyBase64 }: CaptureView): Content {
  if (bodyBase64 === null) return false;
  if (bodyBase64 === hidden) return html`<p class="hint">Other bytes: ${hidden}</p>`;
  const bytes = Buffer.from(bodyBase64, 'base64');
  if (bytes.equals(body)) return false;
  const code = html`<pre class="code">${isUtf8(bytes) ? bytes.toString('utf8') : bodyBase64}</pre>`;
  return collapsible(`Other bytes, ${formatBytes(bytes.length)}`, code);
}
