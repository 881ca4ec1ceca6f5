import type { HeaderValue } from '../../message/event.ts';
import { hidden, isNamed, listSteps, maskJson } from './mask.ts';

/** Headers with the values masked that the paths name, in any case. */
export function maskHeaders(
  headers: Readonly<Record<string, HeaderValue>>,
  paths: readonly string[],
): Readonly<Record<string, HeaderValue>> {
  const shown = Object.entries(headers).map(([name, value]) => [name, isNamed(paths, name) ? hidden : value]);
  return Object.fromEntries(shown);
}

/** A body with the values masked that the paths name; a body that is not JSON is masked as a whole. */
export function maskBody(
  { body, isJson }: { readonly body: Buffer; readonly isJson: boolean },
  paths: readonly string[],
): Buffer {
  const inPayload = listSteps(paths);
  if (inPayload.length === 0) return body;
  const masked = isJson ? maskJson(body.toString('utf8'), inPayload) : undefined;
  return Buffer.from(masked ?? JSON.stringify(hidden));
}
