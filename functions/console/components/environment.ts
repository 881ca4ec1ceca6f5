import { type Html, html } from '../html.ts';

/** The name of the environment, colored by what it says: production, a stage before it, or another. */
export function environmentBadge(name: string): Html | false {
  return name !== '' && html`<span class="environment ${toneOf(name)}">${name}</span>`;
}

/** The tone of an environment, as a class. */
export function toneOf(name: string): 'production' | 'staging' | 'other' {
  if (/prod|live|prd/i.test(name) && !/non-?prod|pre-?prod/i.test(name)) return 'production';
  return /stag|test|qa|uat|prod|int/i.test(name) ? 'staging' : 'other';
}
