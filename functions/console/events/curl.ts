import { isUtf8 } from 'node:buffer';
import type { Route } from '../../../shared/delivery/routes.ts';
import { restoreHeaders } from '../../../shared/delivery/targets/http-headers.ts';
import { maxHeaderBytes } from '../../../shared/events/read-event.ts';
import { collapsible, copyable } from '../components/section.ts';
import { type Html, html, invisible } from '../html.ts';
import type { MaskedEvent } from './visible-event.ts';

/** The delivery of an event as a command to copy. */
export function curlSection(event: MaskedEvent, route: Route | undefined): Html | false {
  const command = curlCommand(event, route);
  if (command === undefined) return false;
  return html`<section>${collapsible('As a curl command', copyable('curl-command', command))}</section>`;
}

/**
 * The delivery as a complete shell command; undefined for other targets than HTTP, and for masked or
 * truncated events.
 */
export function curlCommand(event: MaskedEvent, route: Route | undefined): string | undefined {
  if (route?.target.kind !== 'http' || event.isMasked) return undefined;
  if (event.body.length < event.bytes || event.headerBytes > maxHeaderBytes) return undefined;
  const headers = [
    ...restoreHeaders({ ...event, sourceKeyBytes: null }, route.target.allowHeaders),
    ['dlo-event-id', event.redelivery] as const,
  ].map(([name, value]) => `-H ${quoteField(name, Buffer.from(value, 'latin1'))}`);
  const bytes = event.body;
  const text = bytes.toString('utf8');
  const isText = isUtf8(bytes) && !text.includes('\0');
  const curl = [`curl ${quoteForShell(route.target.url)}`, ...headers];
  if (isText) return [...curl, `--data-raw ${quoteForShell(text)}`].join(' \\\n  ');
  return `base64 -d <<< ${quoteForShell(bytes.toString('base64'))} |\n${[...curl, '--data-binary @-'].join(' \\\n  ')}`;
}

/** A header as one word of a shell, byte for byte: a value that is not UTF-8 is written as bytes. */
function quoteField(name: string, value: Buffer): string {
  if (isUtf8(value)) return quoteForShell(`${name}: ${value}`);
  const escaped = value.toString('latin1').replaceAll(/[^\w .,:;=/-]/g, (byte) => {
    const code = byte.charCodeAt(0).toString(16).padStart(2, '0');
    return String.raw`\x${code}`;
  });
  return `$'${name}: ${escaped}'`;
}

/**
 * A text as one word of a shell: in single quotes only the quote itself is special. Invisible characters are
 * written as bytes.
 */
function quoteForShell(text: string): string {
  if (text.search(invisible) === -1) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = (character: string) =>
    Buffer.from(character).toString('hex').replaceAll(/../g, String.raw`\x$&`);
  return `$'${text.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(invisible, bytes)}'`;
}
