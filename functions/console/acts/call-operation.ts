import type { Operation } from '../../replay/api/resource.ts';
import type { Visit } from '../visit.ts';

/** Calls an operation of the API as the one who visits. Returns what it answers, throws what it throws. */
export async function callOperation<Result>(
  { handle }: Operation,
  { params, query, caller, now }: Visit,
  body: object,
): Promise<Result> {
  const answer = await handle({ params, query, headers: {}, body, text: JSON.stringify(body), caller, now });
  return ('body' in answer ? answer.body : JSON.parse(answer.json)) as Result;
}
