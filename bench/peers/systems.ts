import type { System } from './system.ts';
import { articles } from './systems/articles.ts';
import { deadLetterOffice } from './systems/dead-letter-office.ts';
import { graphileWorker } from './systems/graphile-worker.ts';
import { limits } from './systems/limits.ts';
import { pgBoss } from './systems/pg-boss.ts';

/** Ours first: the ratios of the others refer to it. */
export const systems: readonly System[] = [deadLetterOffice, graphileWorker, pgBoss, articles, limits];
