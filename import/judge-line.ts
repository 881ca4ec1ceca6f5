import { judgeExport } from '../shared/capture/dead-letter-formats/exported-event.ts';
import { decodeUtf8 } from '../shared/capture/decode-bytes.ts';
import type { Line } from './read-lines.ts';

/** A line to send, a line without a failure, or why a line is rejected. */
export type Judged =
  | { readonly kind: 'send'; readonly bytes: Buffer }
  | { readonly kind: 'blank' | 'closed' }
  | { readonly kind: 'rejected'; readonly reason: string };

/** Capture would store any line, even half of one: here a person can mend the file. */
export function judgeLine({ bytes }: Line, maxBytes: number): Judged {
  if (!bytes) return reject(`has more than ${maxBytes} bytes`);
  const text = decodeUtf8(bytes);
  if (text === undefined) return reject('is not UTF-8');
  if (text.trim() === '') return { kind: 'blank' };
  try {
    const json: unknown = JSON.parse(text);
    if (Array.isArray(json)) return reject("is a JSON array: write one object per line, with jq -c '.[]'");
    return judgeExport(json) === 'closed' ? { kind: 'closed' } : { kind: 'send', bytes };
  } catch (error) {
    // Without the position in lines: the text is one line.
    return reject(`is not JSON: ${(error as Error).message.replace(/ \(line \d+ column \d+\)$/, '')}`);
  }
}

function reject(reason: string): Judged {
  return { kind: 'rejected', reason };
}
