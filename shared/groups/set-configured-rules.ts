import type { GroupRule } from '../config/group-rules.ts';
import { statement } from '../database/statement.ts';

/** Makes the rules of the configuration those of later failures; others that it had before end. */
export const setConfiguredRules = statement<{ rules: readonly GroupRule[] }, never>(
  'set-configured-rules',
  import.meta.url,
);
