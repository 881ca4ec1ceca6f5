import { readInbound } from '../../functions/capture/read-inbound.ts';
import { answerJson, type Endpoint } from '../../functions/endpoint.ts';
import { serveRawFunction } from '../../functions/raw-requests.ts';
import { openBodyReader } from '../../functions/read-body.ts';
import { readCaptures } from '../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { openNaive } from './naive.ts';

const db = openDatabase({ kind: 'url', url: process.env.DATABASE_URL ?? '', poolMax: 10 }, 'bench');

/** The upper limit: a function that does nothing. */
export const hello: Endpoint = (_request, response) => {
  response.end('hello');
};

/** Capture as deployed: requests share statements. */
export { capture as coalesced } from '../../functions/index.ts';

const readBody = openBodyReader(16 * 2 ** 20);

/** Capture with one statement per request. */
export const single = serveRawFunction('single', async (request, response) => {
  const { bytes } = await readBody(request, response);
  const addressed = { source: undefined, path: '/' };
  const captures = readCaptures(
    readInbound(request, bytes, { signature: undefined, isDecompressed: false, addressed }),
  );
  answerJson(response, 200, {
    events: await storeCaptures({ db, repeatSeconds: 600 }, captures),
  });
});

/** The function of the articles: one INSERT per request. */
export const naive = openNaive(process.env.DATABASE_URL ?? '');
