import { isUtf8 } from 'node:buffer';
import * as util from 'node:util';
import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { findRemaining } from '../../../shared/events/actions/undo-events.ts';
import { type AuditEntry, isEdit } from '../../../shared/events/audit.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { isCheap } from '../../../shared/events/filter/run-within-cost.ts';
import { listEvents } from '../../../shared/events/list-events.ts';
import { listCompared } from '../../../shared/events/masking/guard-probes.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { derivePatch } from '../../../shared/replay/derive-patch.ts';
import { type Preview, previewRun } from '../../../shared/replay/preview-run.ts';
import { mainReplay, replayButton, searchLink } from '../components/links.ts';
import { collapsible, section } from '../components/section.ts';
import { indentJson } from '../events/message.ts';
import { type MaskedEvent, maskForAll } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import { composeRequest, type Edit } from '../runs/replay-form.ts';

const contextLines = 3;

type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Beyond this number of comparisons all lines between the common start and end are shown as replaced. */
const maxComparisons = 4_000_000;

const words = { ' ': '', '-': 'removed', '+': 'added' } as const;

type Message = { readonly body: string; readonly headers: unknown };

const messageOf = (event: EventView): Message => ({ body: textOf(event).text, headers: event.headers });

/** The difference between an event and its edit. */
export function editDiff(event: EventView, edit: Edit): Html {
  const before = messageOf(event);
  const body = edit.body === undefined ? before.body : bodyText(edit.body);
  return section('Difference', diffMessages(before, { body, headers: edit.headers ?? before.headers }));
}

/** The lines that differ of payload and headers, below a heading each; nothing if both are equal. */
function diffMessages(old: Message, fresh: Message): Html {
  const [before, after] = [JSON.stringify(old.headers), JSON.stringify(fresh.headers)];
  return html`${old.body !== fresh.body && html`<h3>Payload</h3>${showDiff(old.body, fresh.body)}`}
    ${before !== after && html`<h3>Headers</h3>${showDiff(before, after)}`}`;
}

/** A body as a request has it, as text. */
export function bodyText(body: NonNullable<Edit['body']>): string {
  return typeof body === 'string' ? body : body.base64;
}

/** The lines that differ, with their context. */
export function showDiff(before: string, after: string): Html {
  const lines = diffLines(toLines(before), toLines(after));
  if (lines.every(({ sign }) => sign === ' ')) return html`<p class="hint">Only whitespace differs.</p>`;
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ sign }) => sign !== ' ');
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [showLine(line)];
    // One ellipsis per omitted range.
    return index === 0 || isNear(index - 1) ? [html`<span class="frame dim">…</span>`] : [];
  });
  return html`<pre class="code diff">${shown}</pre>`;
}

function showLine({ sign, text }: DiffLine): Html {
  const word = words[sign];
  return html`<span class="frame ${word}">${word && html`<span class="visually-hidden">${word}: </span>`}<span aria-hidden="true">${sign}</span> ${text}</span>`;
}

function toLines(text: string): string[] {
  return (/^\s*[{[]/.test(text) ? indentJson(text) : text).split(/\r?\n/);
}

/** The smallest difference of two texts between their common start and end. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end))
    end++;
  return [
    ...mark(' ', before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...mark(' ', before.slice(before.length - end)),
  ];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const comparisons = old.length * fresh.length;
  // `diff` throws for an empty side. Node.js 20, on which `npx dead-letter-office` runs, has none.
  if (comparisons === 0 || comparisons > maxComparisons || !util.diff)
    return [...mark('-', old), ...mark('+', fresh)];
  return util
    .diff(old, fresh)
    .map(([side, text]) => ({ sign: side === 0 ? ' ' : side > 0 ? '-' : '+', text }));
}

const mark = (sign: DiffLine['sign'], lines: readonly string[]) => lines.map((text) => ({ sign, text }));

/** The payload as text for a form, or as base64 if it is not text. JSON on a single line is indented. */
export function textOf(event: EventView) {
  const bytes = event.body;
  const text = bytes.toString('utf8');
  // A form sends every line ending as CR LF, so only uniform line endings can be restored.
  const isUniform = !/\r(?!\n)/.test(text) && (!text.includes('\r') || !/(^|[^\r])\n/.test(text));
  const isText = isUtf8(bytes) && !text.includes('\0') && isUniform;
  if (!isText) return { text: bytes.toString('base64'), isBase64: true };
  const isOneLine = event.payloadEncoding === 'json' && !text.includes('\n');
  return { text: isOneLine ? indentJson(text) : text, isBase64: false };
}

/** The text of a form, with the line endings of the original. */
export function restoreLineEndings(sent: string, original: string): string {
  const plain = sent.replaceAll('\r\n', '\n');
  return original.includes('\r\n') ? plain.replaceAll('\n', '\r\n') : plain;
}

/** Undefined: an event that is no longer stored. */
type Edited = { readonly original: MaskedEvent | undefined; readonly edit: MaskedEvent | undefined };
type Known = Edited & { readonly actions: readonly AuditEntry[]; readonly isOperator: boolean };

/** The edits of an event: by whom, why, the difference. Masked fields stay masked, also for who unmasked. */
export async function editedSection(deps: ConsoleDeps, event: MaskedEvent, known: Known) {
  const { editedFrom, replacedBy } = event;
  if (editedFrom === null && replacedBy === null) return false;
  const edits = known.actions.filter(isEdit);
  const undoable = known.isOperator ? await findRemaining(deps.db, edits) : undefined;
  const own = maskForAll(deps, event.stored);
  const part = (title: string, [before, after]: readonly (MaskedEvent | undefined)[], entry?: AuditEntry) => {
    const [name, other] = after === own ? ['The captured message', editedFrom] : ['The edit', replacedBy];
    const undo = entry && undoable?.has(entry.id) && html` · <a href="activity/${entry.id}/undo">Undo…</a>`;
    const who =
      entry &&
      html`<strong>${entry.actor}</strong>${entry.runId && html`, <a href="runs/${entry.runId}">run ${entry.runId}</a>`}${entry.reason && `: ${entry.reason}`}. `;
    return section(
      title,
      html`<p>${who}${name}: <a href="events/${other}">event ${other}</a>${undo}</p>
        ${collapsible('The difference', showChange(before, after), true)}`,
    );
  };
  return html`${replacedBy !== null && part('Replaced by an edit', [own, known.edit], edits[0])}
    ${editedFrom !== null && part('Edited', [known.original, own], edits.at(-1))}`;
}

const maxLength = 1_048_576;

/** The difference before and after an edit, or why it has none. Masked fields are equal in both. */
function showChange(original: MaskedEvent | undefined, edit: MaskedEvent | undefined): Html {
  const hint = (words: string) => html`<p class="hint">${words}</p>`;
  if (!original || !edit) return hint('The event is no longer kept, and with it the difference.');
  const [before, after] = [messageOf(original), messageOf(edit)];
  if (before.body.length + after.body.length > maxLength)
    return hint('The message is too large for a page: the API returns it before and after.');
  const diff = diffMessages(before, after);
  return String(diff).trim() === '' ? hint('No field that you may see differs.') : diff;
}

/** An address of more characters is too long for some proxies. */
const maxPatch = 4000;

/**
 * After the edit of one event: how many others fail for the same reason, how many of them the same change
 * fits, and a preview of it. Nothing for a viewer, for an event that is no edit, and for an error with too
 * many events to be read beside a page.
 */
export async function sameChangeSection(deps: ConsoleDeps, context: PageContext, edited: Edited) {
  const { original, edit } = edited;
  if (!context.caller.isOperator || !original?.fingerprint || !edit) return false;
  const patch = deriveChange(original, edit);
  if (!patch) return false;
  const q = `fingerprint:${original.fingerprint} status:PENDING,FAILED_PERMANENTLY captured:<${edit.createdAt.toISOString()}`;
  const request = composeRequest({ q, patch }, { now: context.now, dryRun: true });
  // The answer would tell whether the masked values of others are the same.
  if (listCompared(deps, request).length > 0) return false;
  const others = await listEvents.explain(deps.db, request.filter, { ...firstPosition, max: null });
  if (!isCheap(others, deps.costLimit)) return false;
  const preview = await previewRun(deps, request);
  if (preview.selected === 0) return false;
  return section('The same for the others', describeFit(preview, q, patch));
}

/** The change, unless it touches a masked value: then it is another one as it is shown. */
function deriveChange(original: MaskedEvent, edit: MaskedEvent): string | undefined {
  const change = comparePayloads(original.stored, edit.stored);
  const isShown = change === comparePayloads(original, edit);
  return isShown && change !== undefined && change.length <= maxPatch ? change : undefined;
}

function comparePayloads(before: EventView, after: EventView): string | undefined {
  const isWhole = [before, after].every(({ body, bytes }) => body.length >= bytes);
  return isWhole ? derivePatch(before.body.toString(), after.body.toString()) : undefined;
}

function describeFit({ selected, fit }: Preview, q: string, patch: string): Html {
  const { fits = 0, doesNotFit = 0, unknown = 0, reasons = [] } = fit ?? {};
  const ids = reasons.flatMap((each) => each.ids);
  const rest =
    doesNotFit > 0 &&
    html`; <a href="${searchLink(`id:${ids.join(',')}`)}">show the ${ids.length < doesNotFit && 'first '}${ids.length}</a> that it does not fit (${reasons[0]?.reason})`;
  const unchecked = unknown > 0 && ` (of the first ${formatNumber(fits + doesNotFit)} that were checked)`;
  const button = replayButton(`Do the same to ${formatNumber(fits + unknown)}…`, { q, patch }, mainReplay);
  const code = html`<pre class="code">${indentJson(patch)}</pre>`;
  return html`<p>${countOf(selected, 'other fails', 'others fail')} for this reason. The same change fits <b>${formatNumber(fits)}</b>${unchecked}${rest}.</p>
    ${collapsible('The change, as a JSON Patch', code)}${fits > 0 && html`<p>${button}</p>`}`;
}
