import assert from 'node:assert/strict';
import type { Capture } from '../../shared/capture/message.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';

type Body = Buffer | string | object;

/** Reads the events of a request, whose body is sent as it is, or as JSON. */
export function readAll(body: Body, headers: Record<string, string> = {}, path = '/'): Capture[] {
  const isRaw = typeof body === 'string' || body instanceof Buffer;
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
  return readCaptures({ path, query: new URLSearchParams(), headers, body: bytes });
}

/** Reads the only event of a request. */
export function readCapture(body: Body, headers: Record<string, string> = {}, path = '/'): Capture {
  const [capture, ...others] = readAll(body, headers, path);
  assert.ok(capture);
  assert.equal(others.length, 0);
  return capture;
}
