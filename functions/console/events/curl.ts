import type { Route } from '../../../shared/routes.ts';
import { restoreHeaders } from '../../../shared/targets/http-headers.ts';
import type { MaskedEvent } from './mask-event.ts';
import { bytesOf } from './read-event.ts';

/** The delivery as a shell command that works as it is; undefined where a shell cannot make it, or may not. */
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

/** Within single quotes a shell reads nothing but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
