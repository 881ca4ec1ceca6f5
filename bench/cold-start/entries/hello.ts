import type { Endpoint } from '../../../functions/endpoint.ts';

/** The minimal function. */
export const hello: Endpoint = async (_request, response) => {
  response.send('hello');
};
