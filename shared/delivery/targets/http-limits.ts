import { continueTrace } from './continue-trace.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { isToken, restoreHeaders } from './http-headers.ts';
import { countBytes, type Limit, type Outgoing, shorten } from './limits.ts';
import { listMessageHeaders } from './message-headers.ts';

/** The limit of Tomcat, Jetty and nginx by default. Node accepts twice as much. */
const usualBytes = 8192;
/** Header names, the request line and what proxies add. */
const reservedBytes = 512;

/**
 * Returns what HTTP cannot carry of a message, and whether its headers are longer than many servers accept.
 */
export function findHttpLimits(message: Outgoing, configured: Readonly<Record<string, string>>): Limit[] {
  const sent = [
    ...restoreHeaders(message),
    ...Object.entries(continueTrace(message)),
    ...deliveryHeaders(message, 1),
    ...Object.entries(configured),
  ];
  const bytes = sent.reduce((sum, [name, value]) => sum + name.length + value.length + 4, reservedBytes);
  const unnamed = listMessageHeaders(message).filter(([name]) => !isToken(name));
  return [
    ...unnamed.map(([name]): Limit => {
      const part = `header ${shorten(name)}`;
      return { effect: 'omitted', part, detail: `The ${part} is omitted: HTTP cannot carry its name.` };
    }),
    ...(bytes > usualBytes
      ? [
          {
            effect: 'may-fail',
            part: 'headers',
            detail: `The request has headers of some ${countBytes(bytes)}; many servers accept up to ${countBytes(usualBytes)}.`,
          } as const,
        ]
      : []),
  ];
}
