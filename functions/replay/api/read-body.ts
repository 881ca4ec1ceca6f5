import type { IncomingMessage } from 'node:http';
import { InputError } from '../../../shared/errors.ts';
import { TooLargeError, UnsupportedMediaTypeError } from './request-errors.ts';

const mostBytes = 1_048_576;
const deepest = 100;

/** The JSON that a request brings, or undefined where it has no body. */
export function readBody(bytes: Buffer, { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): unknown {
  if (bytes.length === 0) return undefined;
  const names = rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : ''));
  const header = (name: string) => rawHeaders[names.indexOf(name) + 1] ?? '';
  const isJson = names.includes('content-type') && /^application\/json\s*(;|$)/i.test(header('content-type'));
  if (!isJson) throw new UnsupportedMediaTypeError('Send JSON, and say so: Content-Type: application/json.');
  if (names.includes('content-encoding'))
    throw new UnsupportedMediaTypeError('Send the body as it is, not compressed.');
  if (bytes.length > mostBytes) throw new TooLargeError(`Send at most ${mostBytes} bytes.`);
  return parse(bytes);
}

function parse(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!isDeeper(text)) return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'It is not UTF-8.';
    throw new InputError([{ field: 'body', value: '(not shown)', remedy: `Must be valid JSON. ${reason}` }]);
  }
  const remedy = `Must be JSON with at most ${deepest} levels.`;
  throw new InputError([{ field: 'body', value: '(not shown)', remedy }]);
}

/** Before it is parsed: what is nested without end could not even be printed in a refusal. */
function isDeeper(json: string): boolean {
  let depth = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    if (depth > deepest) return true;
  }
  return false;
}
