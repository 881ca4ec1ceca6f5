import { notReported } from '../../../shared/fingerprint/fingerprint.ts';
import { splitMessage } from '../../../shared/fingerprint/normalize-message.ts';
import { type Content, type Html, html } from '../html.ts';

/**
 * `java.net.SocketTimeoutException`, `Acme::GoneError`, `TypeError`: the last part is the name of the class.
 */
const qualified =
  /^((?:[\p{L}_$][\p{L}\p{N}_$-]{0,99}(?:\.|::)){0,20})([\p{L}_$][\p{L}\p{N}_$]{0,199})(?:: |$)/u;

/**
 * An error by its class, without its package, and its message, whose parts that differ from event to event
 * are dimmed.
 */
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

/**
 * The error of one event: its class, without its package, and its whole message, without the class that some
 * libraries repeat.
 */
export function failureName({ errorClass, errorReason }: Failure): Html {
  const reason = errorReason === notReported ? 'No reason given' : errorReason;
  if (errorClass === null) return html`${reason}`;
  const [, , name = errorClass] = qualified.exec(errorClass) ?? [];
  const repeated = [errorClass, name].find((each) => reason.startsWith(`${each}: `)) ?? '';
  const message = repeated === '' ? reason : reason.slice(repeated.length + 2);
  return html`<b${name !== errorClass && html` title="${errorClass}"`}>${name}</b>: ${message}`;
}

type Origin = { readonly causes: readonly string[] | null; readonly frame: string | null };

/** The causes of an error, the root cause last, and the frame of the application in which it occurred. */
export function errorOrigin({ causes, frame }: Origin): Content {
  const parts = [...(causes ?? []).map((cause) => html`<span class="caused">${errorName(cause)}</span>`)];
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
