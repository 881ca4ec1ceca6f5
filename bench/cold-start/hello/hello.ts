import type { Endpoint } from '../../../functions/endpoint.ts';

/** The least that a function can do. */
export const hello: Endpoint = async (_request, response) => {
  response.send('hello');
};
