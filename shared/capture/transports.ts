import { compiledTransports, openRequest, readTransport } from './formats/read-transport.ts';
import type { Message, Opened, ParsedInbound } from './message.ts';
import { readCloudEvent } from './transports/cloudevent.ts';
import { readDeclaredReport, readReport } from './transports/report.ts';

/** A name for answers and logs, and a reader: undefined for a request of another transport. */
type Named = readonly [name: string, read: (request: ParsedInbound, opened: Opened) => Message | undefined];

const [unwrapped, ...records] = compiledTransports.map(
  (each): Named => [each.format.name, (_, opened) => readTransport(each, opened)],
);

/** All transports, in order of precedence. */
const transports: readonly Named[] = [
  ...(unwrapped ? [unwrapped] : []),
  ['cloudevents', readCloudEvent],
  ['report', readDeclaredReport],
  ...records,
  ['report', readReport],
];

export const transportNames: readonly string[] = transports.map(([name]) => name);

/** The message that a request brings, by the first transport that recognizes it, and the transport's name. */
export function findTransport(request: ParsedInbound, isAllowed: (name: string) => boolean) {
  const opened = openRequest(request);
  for (const [transport, read] of transports) {
    const message = isAllowed(transport) ? read(request, opened) : undefined;
    if (message) return { message, transport };
  }
  return undefined;
}
