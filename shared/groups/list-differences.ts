import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import type { Json } from '../events/filter/json-schema.ts';
import { isNamed, listSteps } from '../events/masking/mask.ts';
import { isAround } from '../events/masking/mask-request.ts';
import { listMasks, type MaskRules } from '../events/masking/mask-rules.ts';
import type { Group } from './error-groups.ts';

/** A value that the events of an error have more often than others. */
type Difference = {
  /** Such as `type`, `headers.tenant` or `payload.customer.country`. */
  readonly field: string;
  readonly value: string;
  /** The share of the events of the error that have it, and that of all events that have the field. */
  readonly share: number;
  readonly shareOfAll: number;
  /** The events of the error that have it. */
  readonly filter: Filter;
};

/** The values that tell most about an error come first. Masked values are not compared. */
export type Differences = {
  /** Its latest events that are left, or all of a finished error, up to 400. */
  readonly sampled: number;
  /** The events that they are compared with: a sample of all, up to 800. */
  readonly compared: number;
  readonly differences: readonly Difference[];
};

const maxSampled = 400;
const maxDifferences = 12;
/** Of one field: others would only repeat it. */
const maxOfField = 3;

type Row = {
  readonly sampled: number;
  readonly compared: number;
  /** Null if no value is more frequent. */
  readonly path: readonly string[] | null;
  readonly json: string;
  readonly share: number;
  readonly shareOfAll: number | null;
};

const listRows = statement<{ members: readonly string[]; isOfLeft: boolean; max: number }, Row>(
  'list-differences',
);

/** Compares the latest events of an error with a sample of all events, by the values of their fields. */
export async function listDifferences(
  { db, ...rules }: { readonly db: Database } & MaskRules,
  group: Pick<Group, 'fingerprint' | 'members' | 'open' | 'failedPermanently'>,
): Promise<Differences> {
  const isOfLeft = group.open + group.failedPermanently > 0;
  const rows = await listRows(db, { members: group.members, isOfLeft, max: maxSampled });
  const masks = listMasks(rules);
  const found = rows.flatMap(({ path, json, share, shareOfAll }): Difference[] => {
    if (path === null || isMasked(path, masks)) return [];
    const parsed: Json = JSON.parse(json);
    // The digits of large numbers stay.
    const isRounded = Number.isInteger(parsed) && !Number.isSafeInteger(parsed);
    const [value, own] = isRounded ? [json, { payloadText: [json] }] : [`${parsed}`, filterOf(path, parsed)];
    const filter = { fingerprint: [group.fingerprint], ...own };
    return [{ field: path.join('.'), value, share, shareOfAll: shareOfAll ?? 0, filter }];
  });
  const byField = Map.groupBy(found, ({ field }) => field);
  const [{ sampled, compared } = { sampled: 0, compared: 0 }] = rows;
  const few = found.filter((each) => (byField.get(each.field) ?? []).indexOf(each) < maxOfField);
  return { sampled, compared, differences: few.slice(0, maxDifferences) };
}

/** Any route counts: the events of an error may have several. */
function isMasked([place, ...steps]: readonly string[], masks: readonly string[]): boolean {
  if (place === 'headers') return isNamed(masks, steps[0] ?? '');
  return place === 'payload' && listSteps(masks).some((mask) => isAround(mask, steps));
}

const columns: Readonly<Record<string, keyof Filter>> = {
  type: 'eventType',
  consumer: 'consumerGroup',
  subscription: 'sourceSubscription',
  source: 'sourceKind',
  topic: 'sourceTopic',
  key: 'key',
};

function filterOf([place = '', ...steps]: readonly string[], value: Json): Filter {
  const column = columns[place];
  if (column) return { [column]: [value] };
  return { [place]: steps.reduceRight<Json>((inner, step) => ({ [step]: inner }), value) };
}
