import { toInbound } from '../../functions/capture/inbound.ts';
import { readCaptures } from '../../functions/capture/read-captures.ts';
import { storeCaptures } from '../../functions/capture/store-captures.ts';
import { answerJson, type Endpoint } from '../../functions/endpoint.ts';
import { type RawEndpoint, readBytes, takeRequests } from '../../functions/raw-requests.ts';
import { openDatabase } from '../../shared/database.ts';

const db = openDatabase({ kind: 'url', url: process.env.DATABASE_URL ?? '', poolMax: 10 }, 'bench');

/** The ceiling: what the framework itself leaves to a function that does nothing. */
export const hello: Endpoint = (_request, response) => {
  response.send('hello');
};

/** As deployed: requests share statements. */
export { capture as coalesced } from '../../functions/index.ts';

/** The same, but each request has a statement of its own. */
export const single: RawEndpoint = (request, response) =>
  readBytes(request, async (bytes) => {
    const captures = readCaptures(toInbound(request, bytes));
    answerJson(response, 200, { events: await storeCaptures({ db, maxReturns: 10 }, captures) });
  });

if (process.env.FUNCTION_TARGET === 'single') takeRequests(single);
