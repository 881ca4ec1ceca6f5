import { isUtf8 } from 'node:buffer';
import { unescape as unescapePercent } from 'node:querystring';
import type * as v from 'valibot';
import { countOf } from '../../../shared/count-of.ts';
import type { Database } from '../../../shared/database/database.ts';
import { toField } from '../../../shared/database/statement.ts';
import type { AuditEntry } from '../../../shared/events/audit.ts';
import { type AttemptSummary, type CaptureSchema, listCaptures } from '../../../shared/events/list-events.ts';
import { hidden } from '../../../shared/events/masking/mask.ts';
import { maskShownCapture } from '../../../shared/events/masking/mask-shown-event.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { notReported } from '../../../shared/fingerprint/fingerprint.ts';
import { printJson } from '../../../shared/json/parse-json.ts';
import { nameAction } from '../activity/action-words.ts';
import { failureName } from '../components/error-name.ts';
import { formatBytes, formatDuration, formatUtc, moment } from '../components/format.ts';
import { icon, lookOf, type State } from '../components/marks.ts';
import { collapsible, facts, section } from '../components/section.ts';
import { foldAlike } from '../components/table.ts';
import { type Content, type Html, html } from '../html.ts';

/** An entry of a history: what happened at a time, and more about it. */
type Entry = {
  readonly at: Date;
  readonly state: State;
  readonly text: Content;
  readonly more?: Content;
  /** Equal for entries that say the same: of several in a row only the latest is shown in full. */
  readonly kind?: string;
};

type History = { readonly attempts: readonly AttemptSummary[]; readonly actions: readonly AuditEntry[] };

/** The history of an event, latest first: captures, deliveries and actions of operators. */
export function timeline(event: EventView, { attempts, actions }: History): Html {
  const captures = [...showRecurrences(event), showFirstCapture(event)];
  const entries = [...attempts.map(showAttempt), ...actions.map(showAction), ...captures];
  return listEntries(foldEqual(entries.toSorted((a, b) => b.at.getTime() - a.at.getTime())));
}

const minFolded = 3;

function foldEqual(entries: readonly Entry[]): readonly Entry[] {
  const parts = foldAlike(entries, (entry) => entry.kind ?? entry, minFolded);
  return parts.flatMap(({ shown, folded }) => {
    const since = folded.at(-1)?.at;
    if (!since) return shown;
    const words = html`${folded.length} earlier ones alike, since ${moment(since)}`;
    const earlier = collapsible(words, listEntries(folded));
    return shown.map((latest) => ({ ...latest, more: html`${latest.more}${earlier}` }));
  });
}

/** The entries of a history, in the given order. */
export function listEntries(entries: readonly Entry[]): Html {
  return html`<ol class="timeline">${entries.map(
    (entry) => html`<li class="${lookOf[entry.state].tone}">${icon(lookOf[entry.state].icon)}<div>
      <p><span class="wrap">${entry.text}</span> ${moment(entry.at)}</p>${entry.more}</div></li>`,
  )}</ol>`;
}

/** An action of an operator, with the reason. */
export function actionEntry(at: Date, text: Content, reason: string | null): Entry {
  const more = reason && html`<p class="answer">${reason}</p>`;
  return { at, state: 'changed', text, more };
}

/** The capture that made an event. */
function showFirstCapture({ createdAt, sourceTopic, sourceKind, editedFrom }: EventView): Entry {
  const text =
    editedFrom === null
      ? html`<strong>Captured</strong> from ${sourceTopic ?? sourceKind}`
      : html`<strong>Edited</strong> from <a href="events/${editedFrom}">event ${editedFrom}</a>`;
  return { at: createdAt, state: 'captured', text };
}

function showRecurrences({ failureCount, failedAt }: EventView): Entry[] {
  if (failureCount === 1) return [];
  const text = html`<strong>Recurred</strong>${failureCount > 2 && ` ${countOf(failureCount - 1, 'time')}`}`;
  return [{ at: failedAt, state: 'recurred', text }];
}

const outcomeWords = {
  delivered: 'Delivered',
  transient: 'Transient failure',
  ambiguous: 'No response, may have been processed',
  permanent: 'Permanent failure',
  lost: 'Worker lost',
} as const;

function showAttempt(attempt: AttemptSummary): Entry {
  const run = attempt.runId && html` · <a href="runs/${attempt.runId}">run ${attempt.runId}</a>`;
  const answer = attempt.responseStatus === null ? attempt.error : `HTTP ${attempt.responseStatus}`;
  const omitted = attempt.outcome === 'delivered' && attempt.error;
  return {
    at: attempt.startedAt,
    state: attempt.outcome,
    kind: JSON.stringify([attempt.outcome, answer, attempt.responseBody]),
    text: html`<strong>${outcomeWords[attempt.outcome]}</strong>${answer && ` · ${answer}`} · ${formatDuration(attempt.durationMs)}${run}`,
    more: html`${omitted && html`<p class="answer">${omitted}</p>`}${attempt.responseBody && html`<p class="answer"><code>${attempt.responseBody}</code></p>`}`,
  };
}

function showAction(entry: AuditEntry): Entry {
  const { at, actor, reason, runId } = entry;
  const run = runId && html` · <a href="runs/${runId}">run ${runId}</a>`;
  return actionEntry(at, html`<strong>${actor}</strong> ${nameAction(entry)}${run}`, reason);
}

type CaptureView = v.InferOutput<typeof CaptureSchema>;

const maxCaptureBytes = 131_072;

const maxFailures = 3;

/** Reads the captures of an event after the first, with the values hidden at the paths of a mask. */
export async function readCaptures(db: Database, eventId: string, mask: readonly string[]) {
  const rows = await listCaptures(db, eventId, maxCaptureBytes);
  return rows.map((json): CaptureView => {
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
  const middle = folded.length > 0 && collapsible(countOf(folded.length, 'more failure'), show(folded));
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
    state: isFirst ? 'recurred' : 'captured',
    text: html`<strong>${kinds[kind]}</strong>${by}${note}`,
    more: html`${differences(event, capture)}${otherBytes(event, capture)}`,
  };
}

function differences(event: EventView, { facts: said, failedAt }: CaptureView): Content {
  if (said === null) return html`<p class="hint">Too large for a page; the API has it.</p>`;
  const { error_reason: reason, error_class, headers, ...others } = said as Record<string, unknown>;
  const errorReason = typeof reason === 'string' ? reason : notReported;
  const errorClass = typeof error_class === 'string' ? error_class : null;
  const isOther =
    (errorReason !== notReported && errorReason !== event.errorReason) ||
    (errorClass !== null && errorClass !== event.errorClass);
  const stored: Readonly<Record<string, unknown>> = event;
  const told = [
    ...Object.entries(others).map(
      ([name, value]) => [name.replaceAll('_', ' '), value, stored[toField(name)]] as const,
    ),
    ...Object.entries(headers ?? {}).map(
      ([name, value]) => [`header ${name}`, value, event.headers[name]] as const,
    ),
  ].filter(([, value, known]) => !isEqual(known, value));
  const shown = told.map(([name, value]) => [name, showValue(value)] as const);
  const rows = failedAt === null ? shown : [['failed at', moment(failedAt)] as const, ...shown];
  return html`${isOther && html`<p class="reason wrap">${failureName({ errorClass, errorReason })}</p>`}
    ${rows.length > 0 && collapsible(rows.map(([name]) => name).join(', '), facts(rows))}`;
}

function isEqual(known: unknown, said: unknown): boolean {
  if (known instanceof Date) return typeof said === 'string' && known.getTime() === Date.parse(said);
  return printJson(known) === printJson(said);
}

function showValue(value: unknown): Html {
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
