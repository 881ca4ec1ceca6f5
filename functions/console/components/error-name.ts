import { formatNumber } from '../../../shared/count-of.ts';
import { notReported } from '../../../shared/fingerprint/fingerprint.ts';
import { splitMessage } from '../../../shared/fingerprint/normalize-message.ts';
import type { Group } from '../../../shared/groups/error-groups.ts';
import { type Content, type Html, html } from '../html.ts';
import { sparkline } from './chart.ts';
import { ago } from './format.ts';
import { groupPath } from './links.ts';
import { mark } from './marks.ts';
import type { Column } from './table.ts';

/** `java.net.SocketTimeoutException`, `Acme::GoneError`, `TypeError`: the last part is the class. */
const qualified =
  /^((?:[\p{L}_$][\p{L}\p{N}_$-]{0,99}(?:\.|::)){0,20})([\p{L}_$][\p{L}\p{N}_$]{0,199})(?:: |$)/u;

/** An error by its class, without its package, and its message, with the parts that vary dimmed. */
export function errorName(given: string | null): Html {
  const title = given ?? 'A new error';
  const [found = '', path = '', name = ''] = qualified.exec(title) ?? [];
  const isClass = name !== '' && (path !== '' || /(?:Exception|Error|Fault|Failure|Timeout)$/.test(name));
  const message = isClass ? title.slice(found.length) : title;
  const words = splitMessage(message).map(({ text, normal, isCompared = text === normal }) =>
    isCompared ? text : html`<span class="varies">${text}</span>`,
  );
  return html`${isClass && html`<b${path !== '' && html` title="${path}${name}"`}>${name}</b>${message !== '' && ': '}`}${words}`;
}

type Failure = { readonly errorClass: string | null; readonly errorReason: string };

/** The error of one event: its class, without its package, and its message without the repeated class. */
export function failureName({ errorClass, errorReason }: Failure): Html {
  const reason = errorReason === notReported ? 'No reason given' : errorReason;
  if (errorClass === null) return html`${reason}`;
  const [, , name = errorClass] = qualified.exec(errorClass) ?? [];
  const repeated = [errorClass, name].find((each) => reason.startsWith(`${each}: `)) ?? '';
  const message = repeated === '' ? reason : reason.slice(repeated.length + 2);
  return html`<b${name !== errorClass && html` title="${errorClass}"`}>${name}</b>: ${message}`;
}

/** The causes of an error, the root cause last, and the frame of the application in which it occurred. */
export function errorOrigin({ causes, frame }: Pick<Group, 'causes' | 'frame'>): Content {
  const parts = causes.map((cause) => html`← ${errorName(cause)}`);
  if (frame !== null) parts.push(html`<code title="${frame}">${shortenFrame(frame)}</code>`);
  if (parts.length === 0) return false;
  return parts.map((part, index) => html`${index > 0 && ' · '}${part}`);
}

/** `com.acme.PspClient.charge` as `PspClient.charge`, `place@orders.js` as `place (orders.js)`. */
function shortenFrame(frame: string): string {
  const [call = '', file] = frame.split('@');
  const name = call.split('/').at(-1)?.split('.').slice(-2).join('.') ?? call;
  if (file === undefined) return name;
  return name === '' ? file : `${name} (${file})`;
}

/**
 * The title of an error group as a link, with its causes below it, and what else is known in a line. The
 * state of an open one is only said if nothing is left of it.
 */
function groupCell(group: Group): Html {
  const { members, state, owner, novelty } = group;
  const origin = errorOrigin(group);
  const hasState = state !== 'OPEN' || isFinished(group);
  // The state of a regressed group says so already.
  const isNovel = state !== 'REGRESSED' && novelty !== null;
  return html`<div class="error-title">${groupLink(group)}</div>
    ${origin && html`<div class="muted small truncate">${origin}</div>`}
    <div class="muted small truncate">${hasState && html`${groupState(group)} · `}${isNovel && html`<span class="badge">${novelty}</span>`}${nameTypes(group)}${owner && html` · ${owner}`}${members.length > 1 && ` · ${members.length - 1} merged`}</div>`;
}

/** The title of an error group as a link. */
export function groupLink({ fingerprint, title }: Pick<Group, 'fingerprint' | 'title'>): Html {
  return html`<a class="title plain-title" href="${groupPath(fingerprint)}" title="${title}">${errorName(title)}</a>`;
}

/** Whether no event of a group is left to deliver or to decide about. */
export function isFinished({ open, failedPermanently }: Pick<Group, 'open' | 'failedPermanently'>): boolean {
  return !open && !failedPermanently;
}

/** The state of a group; of one without events that are left: finished. */
export function groupState(group: Group): Html {
  return mark(group.state === 'OPEN' && isFinished(group) ? 'finished' : group.state);
}

const permanent = html`<span title="Failed permanently: no longer retried">Permanent</span>`;

/** The columns of a list of error groups, one of which has its failures in a period. */
export function groupColumns<Row extends Group>(failed: Column<Row>): readonly Column<Row>[] {
  return [
    ['Error', '', groupCell],
    ['Trend', 'trend wide-only', ({ trend }) => sparkline(trend)],
    failed,
    ['Open', 'num', ({ open }) => countOrDash(open)],
    [permanent, 'num', ({ failedPermanently }) => countOrDash(failedPermanently)],
    ['Last seen', 'num wide-only', ({ lastSeenAt }) => ago(lastSeenAt)],
  ];
}

function countOrDash(value: number): Content {
  return value ? formatNumber(value) : html`<span class="muted">–</span>`;
}

const maxTypes = 3;

/** The event types of a group, the first ones by name. */
export function nameTypes({ eventTypes, eventTypeCount }: Group): string {
  const named = eventTypes.slice(0, maxTypes).map(({ eventType }) => eventType);
  const more = eventTypeCount - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
