import { coalesceCaptures } from '../../shared/capture/coalesce-captures.ts';
import type { Capture, Inbound } from '../../shared/capture/message.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { type StoreDeps, type Stored, storeCaptures } from '../../shared/capture/store-captures.ts';
import { findSubscribeUrl } from '../../shared/capture/transports/aws-sns.ts';
import { log } from '../../shared/log.ts';
import { answerError, answerJson, onlyPost } from '../endpoint.ts';
import { type RawEndpoint, readBytes } from '../raw-requests.ts';
import { checkSignature } from './check-signature.ts';
import { readInbound } from './read-inbound.ts';

/** `secrets`: shared secrets that sign requests; an empty list accepts unsigned requests. */
export type CaptureDeps = StoreDeps & { readonly secrets: readonly string[] };

/** `POST /`: stores the events of a request of any format, and responds after the commit with the id of each event. */
export function capture({ secrets, ...deps }: CaptureDeps): RawEndpoint {
  const store = coalesceCaptures(async (captures) => {
    const stored = await storeCaptures(deps, captures);
    logCaptures(captures, stored);
    return stored;
  });
  return onlyPost((request, response) => {
    const respond = (events: Stored[]) => answerJson(response, 200, { events });
    const fail = (error: unknown) => answerError(response, error);
    readBytes(request, (bytes) => {
      try {
        const inbound = readInbound(request, bytes);
        const signature = inbound.headers['dlo-signature'];
        if (secrets.length > 0) checkSignature(secrets, signature, bytes, Date.now() / 1000);
        const captures = readCaptures(inbound);
        if (captures.length === 0) logNoEvent(inbound);
        store(captures).then(respond, fail);
      } catch (error) {
        fail(error);
      }
    });
  });
}

/** Logs the confirmation URL of SNS: no event arrives before an operator opens it. */
function logNoEvent(inbound: Inbound): void {
  const fields = { action: 'capture', captured: 0, subscribeUrl: findSubscribeUrl(inbound) };
  log('WARNING', 'captured nothing: the request carries no event', fields);
}

/** Logs one line per source kind of a statement, however many requests share the statement. */
function logCaptures(captures: readonly Capture[], stored: readonly Stored[]): void {
  const isNew = new Map(stored.map((event) => [event.eventKey, event.isNew]));
  for (const [sourceKind, group] of Map.groupBy(captures, (capture) => capture.sourceKind)) {
    const captured = new Set(group.map(({ eventKey }) => eventKey).filter((key) => isNew.get(key))).size;
    const duplicates = group.length - captured;
    const known = duplicates > 0 ? `, ${duplicates} known already` : '';
    const traceId = group.length === 1 ? group[0]?.traceId : null;
    const fields = { action: 'capture', captured, duplicates, sourceKind, ...(traceId && { traceId }) };
    log('INFO', `captured ${captured} from ${sourceKind}${known}`, fields);
  }
}
