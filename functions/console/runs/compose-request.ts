import { InputError } from '../../../shared/errors.ts';
import { type RunRequest, readRunRequest } from '../../../shared/replay/run-request.ts';
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
};

/**
 * The replay request of a form. Events captured after the preview are excluded. Throws an InputError with every
 * problem.
 */
export function composeRequest(form: ReplayForm, { now, dryRun, key, edit }: RequestOptions): RunRequest {
  const body = {
    filter: readPreviewedFilter({ text: form.q ?? '', asOf: form.asOf, now }),
    includeSucceeded: form.includeSucceeded === 'on',
    includeDiscarded: form.includeDiscarded === 'on',
    target: form.target,
    reason: form.reason,
    edit,
    ratePerSecond: readNumber(form.rate),
    ramp: form.ramp?.split(/[\s,]+/).map(readNumber),
    canary: readNumber(form.canary),
    gate: readGate(form.stopAbove),
    watchSeconds: readNumber(form.watch),
    dryRun,
  };
  const raw = addPatch(JSON.stringify(body), form.patch);
  return readRunRequest({ raw, body: JSON.parse(raw), key, now });
}

/** Inserts the text of the patch as it is: parsing and printing it would change large numbers. */
function addPatch(json: string, patch: string | undefined): string {
  if (patch === undefined) return json;
  try {
    JSON.parse(patch);
  } catch (error) {
    const remedy = `Must be JSON: ${error instanceof Error ? error.message : error}.`;
    throw new InputError([{ field: 'patch', value: '(not shown)', remedy }]);
  }
  return `${json.slice(0, -1)},"patch":${patch}}`;
}

/** Text that is not a number is returned unchanged, for the validation to report. */
function readNumber(text: string | undefined): number | string | undefined {
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

function readGate(percent: string | undefined): unknown {
  const number = readNumber(percent ?? '50');
  if (number === 100) return false;
  return { maxFailureRatio: typeof number === 'number' ? number / 100 : number };
}
