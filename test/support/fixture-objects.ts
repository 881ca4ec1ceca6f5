import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Capture } from '../../shared/capture/message.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';

export type Json = Record<string, unknown>;

const folder = path.resolve(import.meta.dirname, '../fixtures/envelopes');

/** The object that is the body of a fixture, or the first of its array. */
export function loadObject(fixture: string): Json {
  const { http } = JSON.parse(readFileSync(path.join(folder, `${fixture}.json`), 'utf8'));
  const json = http.body_encoding === 'text' ? JSON.parse(http.body) : http.body;
  return Array.isArray(json) ? json[0] : json;
}

/** Reads the first event of a request with this object, or JSON text, as its body. */
export function readObject(json: Json | string): Capture {
  const body = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  const headers = { 'content-type': 'application/json' };
  const [capture] = readCaptures({ path: '/', query: new URLSearchParams(), headers, body });
  return capture ?? assert.fail('no event was read');
}
