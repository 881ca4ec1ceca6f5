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
