import type { Failed } from './queue-loop.ts';

type Printed = {
  readonly payload: string;
  readonly payload_encoding: string;
  readonly properties: {
    readonly content_type?: string;
    readonly headers?: Readonly<Record<string, unknown>>;
  };
};

/**
 * A message as HTTP carried it: body, content type and headers, as text. The management API
 * prints bytes in a header as a sentence, and null as `undefined`; HTTP has neither.
 */
export function readRabbitMessage(failed: Failed) {
  const { payload, payload_encoding: encoding, properties } = failed as Printed;
  const headers = Object.entries(properties.headers ?? {})
    .filter(([name, value]) => !/^(x-|dlo-)/.test(name) && value !== 'undefined')
    .map(
      ([name, value]) => [name, name === 'traceparent' ? `${value}`.slice(0, 35) : toText(value)] as const,
    );
  return {
    body: Buffer.from(payload, encoding === 'base64' ? 'base64' : 'utf8').toString('hex'),
    contentType: properties.content_type,
    headers: Object.fromEntries(headers.sort()),
  };
}

function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/^Not UTF-8, base64 is: /, '');
}
