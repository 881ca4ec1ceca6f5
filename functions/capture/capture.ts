import { log } from '../../shared/log.ts';
import { answerError, answerJson, onlyPost } from '../endpoint.ts';
import { type RawEndpoint, readBytes } from '../raw-requests.ts';
import { findSubscribeUrl } from './carriers/aws-sns.ts';
import { checkSignature } from './check-signature.ts';
import { coalesceCaptures } from './coalesce-captures.ts';
import { toInbound } from './inbound.ts';
import type { Capture, Inbound } from './message.ts';
import { readCaptures } from './read-captures.ts';
import { type StoreDeps, type Stored, storeCaptures } from './store-captures.ts';

export type CaptureDeps = StoreDeps & { readonly secrets: readonly string[] };

/** `POST /` with an envelope of any known format, or anything else: stored, committed, then answered. */
export function capture({ secrets, ...deps }: CaptureDeps): RawEndpoint {
  const store = coalesceCaptures(async (captures) => {
    const stored = await storeCaptures(deps, captures);
    logCaptures(captures, stored);
    return stored;
  });
  return onlyPost((request, response) => {
    const resolve = (stored: Stored[]) => answerJson(response, 200, { events: stored.map(toAnswer) });
    const reject = (error: unknown) => answerError(response, error);
    readBytes(request, (bytes) => {
      try {
        const inbound = toInbound(request, bytes);
        const signature = inbound.headers['dlo-signature'];
        if (secrets.length > 0) checkSignature(secrets, signature, bytes, Date.now() / 1000);
        const captures = readCaptures(inbound);
        if (captures.length === 0) logNothing(inbound);
        store({ captures, resolve, reject });
      } catch (error) {
        reject(error);
      }
    });
  });
}

function toAnswer({ id, event_key, is_new }: Stored) {
  return { id, eventKey: event_key, isNew: is_new };
}

/** What is not kept is told: before SNS begins, a person has to open the URL that it sent. */
function logNothing(inbound: Inbound): void {
  const fields = { act: 'capture', captured: 0, subscribeUrl: findSubscribeUrl(inbound) };
  log('WARNING', 'captured nothing: the request carries no event', fields);
}

/** One line for each kind of source in a statement, however many requests shared it. */
function logCaptures(captures: readonly Capture[], stored: readonly Stored[]): void {
  const isNew = new Map(stored.map((event) => [event.event_key, event.is_new]));
  for (const [sourceKind, group] of Map.groupBy(captures, (capture) => capture.sourceKind)) {
    const captured = new Set(group.map(({ eventKey }) => eventKey).filter((key) => isNew.get(key))).size;
    const duplicates = group.length - captured;
    const known = duplicates > 0 ? `, ${duplicates} known already` : '';
    const traceId = group.length === 1 ? group[0]?.traceId : null;
    const fields = { act: 'capture', captured, duplicates, sourceKind, ...(traceId && { traceId }) };
    log('INFO', `captured ${captured} from ${sourceKind}${known}`, fields);
  }
}
