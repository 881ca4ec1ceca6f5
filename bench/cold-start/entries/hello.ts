import type { HttpFunction } from '@google-cloud/functions-framework';

/** The minimal function. */
export const hello: HttpFunction = async (_request, response) => {
  response.send('hello');
};
