import assert from 'node:assert/strict';
import type { Capture } from '../../shared/capture/message.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { openSources } from '../../shared/capture/sources/find-source.ts';
import { readSources } from '../../shared/environment/sources.ts';

type Sent = {
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
};

/** Reads a request with these sources configured. */
export function readBySources(
  sources: readonly object[],
  { path = '/capture', query = '', headers = {}, body }: Sent,
): Capture[] {
  const checked = readSources({ SOURCES: JSON.stringify(sources) });
  assert.ok(checked.ok, JSON.stringify(checked));
  const isRaw = typeof body === 'string' || body instanceof Buffer;
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
  const addressed = openSources(checked.value)(path);
  return readCaptures({ ...addressed, query: new URLSearchParams(query), headers, body: bytes });
}
