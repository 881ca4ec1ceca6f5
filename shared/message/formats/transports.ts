import type { Format } from './format.ts';

export const transportFormats: readonly Format[] = [];
