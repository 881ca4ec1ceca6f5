import * as v from 'valibot';
import { numberVariable } from './variable.ts';

export const FilterCostSchema = v.object({
  FILTER_COST_LIMIT: numberVariable(
    { default: 500_000, min: 0, max: 1_000_000_000 },
    "Maximum cost, in the planner's unit, of a query from the console or the API; a more expensive one is rejected with advice; 0: no limit.",
  ),
});
