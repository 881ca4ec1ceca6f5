import * as v from 'valibot';
import { commaList, defineNumber, defineSetting, defineText, type SettingsOf } from './setting.ts';

/** Path below the console that Identity-Aware Proxy opens for operators only. */
export const operatorPath = 'operator/';

const addresses = {
  allowed: 'addresses, `*@DOMAIN` or `*`, separated by commas',
  schema: v.pipe(
    commaList,
    v.array(
      v.pipe(
        v.string(),
        v.toLowerCase(),
        v.regex(
          /^(\*|(\*@|[^*\s@]+@?)[^*\s@]*)$/,
          'Use an address, ada@example.com, a domain, *@example.com, or * for whom IAP admits.',
        ),
      ),
    ),
  ),
  readBy: ['replay', 'console'],
} as const;

/** The path of the console, with a slash at its end, and its users in lower case. */
export const consoleSettings = {
  CONSOLE_PATH: defineSetting(
    {
      as: 'base',
      default: '/',
      allowed: 'path',
      schema: v.pipe(
        v.optional(v.string(), '/'),
        v.regex(/^\/([\w.~-]+(\/[\w.~-]+)*\/?)?$/, 'Must be a path such as / or /console.'),
        v.transform((path) => path.replace(/\/?$/, '/')),
      ),
      readBy: ['console'],
      stack: { unset: 'The console has a host of its own.' },
    },
    'Path prefix of the console.',
  ),
  ENVIRONMENT_NAME: defineText(
    {
      as: 'environment',
      allowed: 'up to 40 characters',
      form: [/^.{0,40}$/, 'Use at most 40 characters.'],
      readBy: ['console'],
    },
    'Name of the environment that each page of the console shows, such as `production`; a deployment uses the name of its stack.',
  ),
  CONSOLE_OPERATORS: defineSetting(
    { ...addresses, as: 'operators', stack: { name: 'operators' } },
    'Users who may read the console and the API and act in them, beside the caller that LOCAL_CALLER names; `*`: every user that Identity-Aware Proxy admits below `operator/`.',
  ),
  CONSOLE_VIEWERS: defineSetting(
    { ...addresses, as: 'viewers', stack: { name: 'viewers' } },
    'Users who may only read the console and the API; `*`: every user that Identity-Aware Proxy admits.',
  ),
  ALERT_FAILING_HOURS: defineNumber(
    { as: 'failingHours', default: 24, min: 1, max: 8760, readBy: ['console'] },
    'After so many hours a cause that fails by itself needs review: the console marks it, and an alert fires.',
  ),
};

export type RoleConfig = SettingsOf<'replay' | 'console', typeof consoleSettings>;
