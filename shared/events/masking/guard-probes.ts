import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { ForbiddenError } from '../../errors.ts';
import { type Operation, readPatch } from '../../json/apply-patch.ts';
import { readPointer } from '../../json/json-nodes.ts';
import type { Filter } from '../filter/filter-schema.ts';
import { listSteps } from './mask.ts';
import { isAround, maskFilter } from './mask-request.ts';
import { listMasks, type MaskRules } from './mask-rules.ts';

type AuditId = { readonly id: string };

const recordProbe = statement<{ actor: string; paths: readonly string[]; minutes: number }, AuditId>(
  'record-probe',
);

/** Records that an operator unmasks an event, and why. Returns the id of the audit entry. */
export const recordUnmask = statement<{ actor: string; reason: string; eventId: string }, AuditId>(
  'record-unmask',
);

/** Finds the audit entries of an operator and an event in the last `minutes`. */
export const findUnmask = statement<{ eventId: string; actor: string; minutes: number }, AuditId>(
  'find-unmask',
);

/** A caller may compare masked values if it may unmask them. */
export type Caller = { readonly name: string; readonly isOperator: boolean };

/** The comparisons of a request with events: its filter, and the tests of its patch. */
type Comparison = {
  readonly filter: Filter;
  readonly patch?: string | undefined;
  /** Whether the request goes on with a search, which was recorded with its first request. */
  readonly isContinued?: boolean;
};

/**
 * Guards a request that compares values which routes mask: its answer tells whether they were guessed. Throws
 * ForbiddenError unless the caller is an operator, and records the caller in the audit. All routes count,
 * because a filter may match the events of each.
 */
export async function guardProbes(
  { db, ...rules }: { readonly db: Database } & MaskRules,
  { name: actor, isOperator }: Caller,
  comparison: Comparison,
): Promise<void> {
  const paths = listCompared(rules, comparison);
  if (paths.length === 0) return;
  if (!isOperator) {
    throw new ForbiddenError(
      `The request compares values that routes mask (${paths.join(', ')}): that takes the operator role, and is recorded.`,
    );
  }
  await recordProbe(db, { actor, paths, minutes: comparison.isContinued ? 10 : 0 });
}

/** Lists the paths that routes mask whose values a filter or a patch compares. */
export function listCompared(rules: MaskRules, comparison: Comparison): readonly string[] {
  return listMasks(rules).filter((path) => isCompared(path, comparison));
}

/** Whether a mask would hide a part of the filter, or the patch tests a masked value. */
function isCompared(path: string, { filter, patch }: Comparison): boolean {
  if (JSON.stringify(maskFilter(filter, [path])) !== JSON.stringify(filter)) return true;
  const operations = patch === undefined ? [] : readPatch(patch);
  return listSteps([path]).some((steps) => isTested(operations, steps));
}

/** Whether a patch tests a value at, in or around the steps, there or where it was copied to. */
function isTested(patch: readonly Operation[], steps: readonly string[]): boolean {
  const touches = (pointer: string) => isAround(steps, readPointer(pointer));
  const isCopied = patch.some((operation) => 'from' in operation && touches(operation.from));
  return patch.some(({ op, path }) => op === 'test' && (isCopied || touches(path)));
}
