import { statement } from '../database/statement.ts';

/** A list under a name: its address below the console. */
export type View = {
  readonly name: string;
  /** Its owner: a user, or '' for the team. */
  readonly owner: string;
  readonly path: string;
};

export const listViews = statement<{ actor: string }, View>('list-views');

/** Saves a view in place of one of that name and owner; without a path it removes it, if there is one. */
export const recordView = statement<
  { actor: string; name: string; owner: string; path: string | null },
  never
>('record-view');
