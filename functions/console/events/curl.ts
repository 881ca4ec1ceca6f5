import type { Route } from '../../../shared/delivery/routes.ts';
import { restoreHeaders } from '../../../shared/delivery/targets/http-headers.ts';
import { bytesOf } from '../../../shared/events/read-event.ts';
import type { MaskedEvent } from './mask-event.ts';

/** The delivery as a complete shell command; undefined for other targets than HTTP, and for masked or truncated events. */
export function curlCommand(event: MaskedEvent, route: Route | undefined): string | undefined {
  if (route?.target.kind !== 'http' || event.isMasked || bytesOf(event).length < event.bytes)
    return undefined;
  const headers = [...restoreHeaders(event), ['dlo-event-id', event.id] as const].map(
    ([name, value]) => `-H ${quote(`${name}: ${Buffer.from(value, 'latin1').toString('utf8')}`)}`,
  );
  const bytes = bytesOf(event);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes) && !text.includes('\0');
  const curl = [`curl ${quote(route.target.url)}`, ...headers];
  if (isText) return [...curl, `--data-raw ${quote(text)}`].join(' \\\n  ');
  return `base64 -d <<< ${quote(bytes.toString('base64'))} |\n${[...curl, '--data-binary @-'].join(' \\\n  ')}`;
}

/** In single quotes only the quote itself is special to a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
