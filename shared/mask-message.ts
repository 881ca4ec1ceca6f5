import type { HeaderValue } from './events.ts';
import { hidden, isNamed, listSteps, maskJson } from './mask.ts';

/** Headers without the values of those that the paths name, in whatever case they came. */
export function maskHeaders(
  headers: Readonly<Record<string, HeaderValue>>,
  paths: readonly string[],
): Readonly<Record<string, HeaderValue>> {
  const shown = Object.entries(headers).map(([name, value]) => [name, isNamed(paths, name) ? hidden : value]);
  return Object.fromEntries(shown);
}

/** A body without what the paths name; without anything where they name something and it cannot be looked into. */
export function maskBody(
  { body, isJson }: { readonly body: Buffer; readonly isJson: boolean },
  paths: readonly string[],
): Buffer {
  const inPayload = listSteps(paths);
  if (inPayload.length === 0) return body;
  const masked = isJson ? maskJson(body.toString('utf8'), inPayload) : undefined;
  return Buffer.from(masked ?? JSON.stringify(hidden));
}
