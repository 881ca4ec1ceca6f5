import type { IncomingMessage } from 'node:http';
import { InputError, UnsupportedMediaTypeError } from '../../../shared/errors.ts';
import { isDeeper } from '../../../shared/json/parse-json.ts';

const maxLevels = 100;

/**
 * The JSON body of a request, or undefined if it has none. Throws InputError or UnsupportedMediaTypeError.
 */
export function readBody(bytes: Buffer, { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): unknown {
  if (bytes.length === 0) return undefined;
  const names = rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : ''));
  const header = (name: string) => rawHeaders[names.indexOf(name) + 1] ?? '';
  const isJson = names.includes('content-type') && /^application\/json\s*(;|$)/i.test(header('content-type'));
  if (!isJson) throw new UnsupportedMediaTypeError('Send JSON with Content-Type: application/json.');
  if (names.includes('content-encoding')) throw new UnsupportedMediaTypeError('Send the body uncompressed.');
  return parse(bytes);
}

function parse(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isDeeper(value, maxLevels)) return value;
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'The text is not UTF-8.';
    throw invalidBody(`Must be valid JSON. ${reason}`);
  }
  throw invalidBody(`Must be JSON with at most ${maxLevels} levels.`);
}

const invalidBody = (remedy: string) => new InputError([{ field: 'body', value: '(not shown)', remedy }]);
