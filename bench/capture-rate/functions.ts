import { capture } from '../../functions/capture/capture.ts';
import { keepRequestsRaw, readBody, toInbound } from '../../functions/capture/raw-requests.ts';
import { readCaptures } from '../../functions/capture/read-captures.ts';
import { storeCaptures } from '../../functions/capture/store-captures.ts';
import type { Endpoint } from '../../functions/endpoint.ts';
import { answerJson, onlyPost } from '../../functions/endpoint.ts';
import { openDatabase } from '../../shared/database.ts';

const db = openDatabase({ kind: 'url', url: process.env.DATABASE_URL ?? '', poolMax: 10 }, 'bench');
const deps = { db, maxReturns: 10 };
if (process.env.FUNCTION_TARGET !== 'hello') keepRequestsRaw();

/** The ceiling: what the framework itself leaves to a function that does nothing. */
export const hello: Endpoint = async (_request, response) => {
  response.send('hello');
};

/** As deployed. */
export const coalesced: Endpoint = capture({ ...deps, secrets: [] });

/** The same, but each request has a statement of its own. */
export const single: Endpoint = onlyPost((request, response) =>
  readBody(request, async (bytes) => {
    answerJson(response, 200, { events: await storeCaptures(deps, readCaptures(toInbound(request, bytes))) });
  }),
);
