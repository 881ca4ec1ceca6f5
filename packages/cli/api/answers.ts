import type * as v from 'valibot';
import type { ActionResultSchema } from '../../../shared/events/actions/run-action.ts';
import type { EventSchema, EventSummarySchema } from '../../../shared/events/event-columns.ts';
import type { GroupSchema } from '../../../shared/groups/error-groups.ts';
import type { PreviewSchema } from '../../../shared/replay/preview-run.ts';
import type { RunSchema } from '../../../shared/replay/run.ts';
import type { RunDetailSchema } from '../../../shared/replay/show-run.ts';
import type { TargetViewSchema } from '../../../shared/targets/show-targets.ts';

// The answers of the API as JSON has them, typed by the schemas of its operations.

export type Json<Value> = Value extends Date
  ? string
  : Value extends object
    ? { readonly [Name in keyof Value]: Json<Value[Name]> }
    : Value;
type Answer<Schema extends v.GenericSchema> = Json<v.InferOutput<Schema>>;

export type ShownEvent = Answer<typeof EventSchema>;
export type EventSummary = Answer<typeof EventSummarySchema>;
export type Group = Answer<typeof GroupSchema>;
export type Preview = Answer<typeof PreviewSchema>;
export type Run = Answer<typeof RunSchema>;
export type RunDetail = Answer<typeof RunDetailSchema>;
export type ActionResult = Answer<typeof ActionResultSchema>;
export type Target = Answer<typeof TargetViewSchema>;

export type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null };

/** A failed request: RFC 9457. */
export type Problem = {
  readonly status: number;
  readonly detail: string;
  readonly code?: string;
  readonly problems?: readonly {
    readonly field: string;
    readonly value?: unknown;
    readonly remedy: string;
  }[];
  readonly previewed?: number;
  readonly preview?: Preview;
};
