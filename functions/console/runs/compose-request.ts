import type { Problem } from '../../../shared/errors.ts';
import { type RunRequest, readRunRequest } from '../../../shared/replay/run-request.ts';
import { readJson, readNumber } from '../components/form.ts';
import { readPreviewedFilter } from '../events/previewed-filter.ts';
import type { ReplayForm } from './replay-form.ts';

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
  const body = {
    filter: readPreviewedFilter({ text: form.q ?? '', asOf: form.asOf, now }),
    includeSucceeded: form.includeSucceeded === 'on',
    includeDiscarded: form.includeDiscarded === 'on',
    target: form.target,
    reason: form.reason,
    startAt: form.startAt,
    notAfter: form.notAfter,
    edit,
    ratePerSecond: readNumber(form.rate),
    ramp: form.ramp?.split(/[\s,]+/).map(readNumber),
    canary: readNumber(form.canary),
    waitForTarget: form.waitForTarget === 'on',
    toHeldTargets: form.toHeldTargets === 'on',
    gate: readGate(form.stopAbove),
    dryRun,
    selection,
  };
  const raw = addPatch(JSON.stringify(body), form.patch);
  return readRunRequest({ raw, key, now });
}

/** Inserts the text of the patch as it is: parsing and printing it would change large numbers. */
function addPatch(json: string, patch: string | undefined): string {
  if (patch === undefined) return json;
  readJson('patch', patch);
  return `${json.slice(0, -1)},"patch":${patch}}`;
}

function readGate(percent: string | undefined): unknown {
  const number = readNumber(percent ?? '50');
  if (number === 100) return false;
  return { maxFailureRatio: typeof number === 'number' ? number / 100 : number };
}

/** The field of the form that shows each problem of a replay request. */
const formFields: Readonly<Record<string, string>> = {
  reason: 'reason',
  ratePerSecond: 'rate',
  ramp: 'ramp',
  canary: 'canary',
  startAt: 'startAt',
  notAfter: 'notAfter',
  gate: 'stopAbove',
  patch: 'patch',
};

/** Remedies in the units of the form, where they differ from those of the request. */
const remedies: Readonly<Record<string, string>> = { stopAbove: 'Use a percentage from 0 to 100.' };

/** What is wrong with each field of the form, and the problems of all else. */
export function placeProblems(problems: readonly Problem[]) {
  const atFields: Record<string, string> = {};
  const others: Problem[] = [];
  for (const problem of problems) {
    const field = formFields[/^\w+/.exec(problem.field)?.[0] ?? ''];
    if (field) atFields[field] = remedies[field] ?? problem.remedy;
    else others.push(problem);
  }
  return { atFields, others };
}
