import { filteredStatement } from '../../../shared/filtered-statement.ts';

/** How many events a filter matches, up to `most` of them. */
export const countEvents = filteredStatement<{ most: number }, { readonly events: number }>('count-events');
