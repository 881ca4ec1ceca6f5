import { statement } from '../database/statement.ts';
import type { JobName } from './jobs.ts';

/** Records a complete run of a job. */
export const completeJob = statement<{ name: JobName }, { readonly name: JobName }>('complete-job');

/** Returns where the next call of a job goes on; null where it begins anew. */
export const readProgress = statement<{ name: JobName }, { readonly progress: unknown }>('read-progress');

export const saveProgress = statement<{ name: JobName; progress: object | null }, never>('save-progress');
