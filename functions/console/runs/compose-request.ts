import type { Problem } from '../../../shared/errors.ts';
import { type RunRequest, readRunRequest } from '../../../shared/replay/run-request.ts';
import { readJson } from '../components/form.ts';
import { readPreviewedFilter } from '../events/previewed-filter.ts';
import { type ReplayForm, starts } from './replay-form.ts';

/** An edit of one event, in the format of the replay API. */
export type Edit = {
  readonly body?: string | { readonly base64: string };
  readonly headers?: unknown;
};

type RequestOptions = {
  readonly now: Date;
  readonly dryRun: boolean;
  readonly key?: string | undefined;
  readonly edit?: Edit | undefined;
  /** That of the preview which the form is beside. */
  readonly selection?: string | undefined;
};

/**
 * The replay request of a form. Events captured after the preview are excluded. Throws an InputError with
 * every problem.
 */
export function composeRequest(
  form: ReplayForm,
  { now, dryRun, key, edit, selection }: RequestOptions,
): RunRequest {
  const { q, asOf, start = '', patch, includeSucceeded, includeDiscarded, ...fields } = form;
  const body = {
    ...fields,
    ...(Object.hasOwn(starts, start) && starts[start]?.fields),
    filter: readPreviewedFilter({ text: q ?? '', asOf, now }),
    includeSucceeded: includeSucceeded === 'on',
    includeDiscarded: includeDiscarded === 'on',
    edit,
    dryRun,
    selection,
  };
  return readRunRequest({ raw: addPatch(JSON.stringify(body), patch), key, now });
}

/** Inserts the text of the patch as it is: parsing and printing it would change large numbers. */
function addPatch(json: string, patch: string | undefined): string {
  if (patch === undefined) return json;
  readJson('patch', patch);
  return `${json.slice(0, -1)},"patch":${patch}}`;
}

/** The fields of the form that show what is wrong with them. */
const placed = ['reason', 'startAt', 'notAfter', 'patch'];

/** The problem of each field of the form, and the problems of all else. */
export function placeProblems(problems: readonly Problem[]) {
  const nameOf = ({ field }: Problem) => /^\w+/.exec(field)?.[0] ?? '';
  const isPlaced = (problem: Problem) => placed.includes(nameOf(problem));
  return {
    atFields: Object.fromEntries(problems.filter(isPlaced).map((each) => [nameOf(each), each.remedy])),
    others: problems.filter((each) => !isPlaced(each)),
  };
}
